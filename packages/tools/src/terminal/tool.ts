import { defineTool, type Tool, type ToolFactory } from '@longhand/sdk';
import * as z from 'zod';
import { adoptCall } from './adopt-call.ts';
import { LIMIT, type Output, render } from './output/observation.ts';
import { type Settings, settingsOf } from './settings.ts';
import { type Call, Terminal } from './terminal.ts';

const input = z.object({
  command: z
    .string()
    .describe(
      'One shell statement. Empty: look at what the running command has printed since. With is_input: what to send to it, text or a key such as C-c, C-d, C-z, UP, ENTER.',
    ),
  is_input: z
    .boolean()
    .default(false)
    .describe('True to send the text to the running command instead of starting one.'),
  timeout: z
    .number()
    .min(0)
    .optional()
    .describe(
      'Seconds to wait at the most; the command goes on. Without it the wait ends when nothing new is printed for a while.',
    ),
  reset: z
    .boolean()
    .default(false)
    .describe('True to begin with a new shell: variables, folder and running programs are lost.'),
});

/** `terminal`: a persistent shell in the workspace. Its params: see settings.ts. */
export const terminalTool: ToolFactory = {
  name: 'terminal',
  create: async (environment, params) => {
    const settings = await settingsOf(environment, params);
    return [toolOf(new Terminal(environment, settings), settings)];
  },
};

function toolOf(terminal: Terminal, { maxShells, quietMs }: Settings): Tool {
  return defineTool<Call, Output>({
    name: 'terminal',
    kind: { tool: 'TerminalTool', action: 'TerminalAction', observation: 'TerminalObservation' },
    description: descriptionOf(quietMs),
    briefDescription: BRIEF,
    input,
    adoptCall,
    annotations: {
      title: 'terminal',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    // Calls side by side have shells of their own.
    resources: () => (maxShells === 1 ? ['terminal:session'] : []),
    run: (call, context) => terminal.run(call, context),
    render,
    prepare: () => terminal.prepare(),
    close: () => terminal.close(),
  });
}

function descriptionOf(quietMs: number): string {
  return `Runs a command in a shell that stays: folder, variables and functions are kept from call to call.
- One statement a call. Join commands that belong together with && or ; a text of several statements on lines of their own is refused.
- The answer ends with the folder and the exit code. Exit code -1: the command is still running. It is left running when it prints nothing for ${quietMs / 1_000} s, or when \`timeout\` is over. Then send an empty command to see what is new, text or a key with is_input (C-c ends it), or call with reset.
- What takes long or serves goes into the background with its output in a file: \`server > server.log 2>&1 &\`.
- Outputs over ${LIMIT} characters are clipped in the middle: use head, tail, grep and quiet options. Use absolute paths where you can.
- Put text into files with the file editor or a here-document, not with echo.`;
}

const BRIEF = `Runs one statement in a shell that stays: folder and variables are kept. Join commands with && or ;. The answer ends with folder and exit code; -1 means that it is still running: send an empty command to see more, is_input with text or a key (C-c) to answer it. What takes long goes into the background with its output in a file.`;
