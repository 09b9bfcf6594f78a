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
      'One shell statement. Empty: get the new output of the running command. With is_input: what to send to that command, text or a key such as C-c, C-d, C-z, UP, ENTER.',
    ),
  is_input: z
    .boolean()
    .default(false)
    .describe('True: send the text to the running command instead of starting a new one.'),
  timeout: z
    .number()
    .min(0)
    .optional()
    .describe(
      'Most seconds to wait; the command keeps running afterwards. Without it, the call returns when the command has printed nothing for a while.',
    ),
  reset: z
    .boolean()
    .default(false)
    .describe('True: start a new shell first; variables, working folder and running programs are lost.'),
});

/** The tool `terminal`: a persistent shell in the workspace. Its params are in settings.ts. */
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
    // Parallel calls get shells of their own.
    resources: () => (maxShells === 1 ? ['terminal:session'] : []),
    run: (call, context) => terminal.run(call, context),
    render,
    prepare: () => terminal.prepare(),
    close: () => terminal.close(),
  });
}

function descriptionOf(quietMs: number): string {
  return `Runs a command in a persistent shell: working folder, variables and functions are kept between calls.
- Send one statement per call. Join related commands with && or ; because several statements on separate lines are refused.
- The result ends with the working folder and the exit code. Exit code -1 means that the command is still running: it printed nothing for ${quietMs / 1_000} s, or \`timeout\` was reached. Then send an empty command to get new output, text or a key with is_input (C-c interrupts), or set reset.
- Run servers and long jobs in the background with their output in a file: \`server > server.log 2>&1 &\`.
- Outputs over ${LIMIT} characters are cut in the middle: use head, tail, grep and quiet options. Prefer absolute paths.
- Write text to files with the file editor or a here-document, not with echo.`;
}

const BRIEF = `Runs one statement in a persistent shell. Join commands with && or ;. The result ends with working folder and exit code; -1 means still running: send an empty command to get more output, or text or a key (C-c) with is_input. Run long jobs in the background with their output in a file.`;
