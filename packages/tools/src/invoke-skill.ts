import { posix } from 'node:path';
import { defineTool, type ToolFactory, text, type Workspace } from '@longhand/sdk';
import { capture } from '@longhand/sdk/internal';
import * as z from 'zod';
import { toolParams } from './tool-params.ts';

const input = z.object({ name: z.string().min(1).describe('The name of the skill as listed.') });
type Input = z.output<typeof input>;

const params = {
  /** Off by default: the author of a skill may be unknown to the user. */
  run_commands: z.boolean().default(false),
};

const COMMAND_TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 50 * 1024;

/**
 * `invoke_skill`: returns the full text of a skill. Commands in it (`` !`cmd` ``) run only with the param `run_commands`.
 */
export const invokeSkillTool: ToolFactory = {
  name: 'invoke_skill',
  create: ({ workspace }, given) => {
    const { run_commands } = toolParams('invoke_skill', params, given);
    return [
      defineTool({
        name: 'invoke_skill',
        kind: { tool: 'InvokeSkillTool', action: 'InvokeSkillAction', observation: 'InvokeSkillObservation' },
        description:
          'Returns the full text of an available skill. Call it before you do what the skill is for.',
        input,
        annotations: {
          title: 'invoke_skill',
          readOnlyHint: !run_commands,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        resources: ({ name }: Input) => [`skill:${name}`],
        run: async ({ name }: Input, { conversation, signal }) => {
          const { content, source } = await conversation.skill(name);
          const body = run_commands ? await withOutputs(content, workspace, signal) : content;
          const folder = source === undefined ? undefined : shown(posix.dirname(source), workspace.root);
          const footer = folder === undefined ? '' : `\n\nPaths in this skill are relative to ${folder}.`;
          return { content: [text(`${body}${footer}`)], is_error: false, skill_name: name };
        },
      }),
    ];
  },
};

function shown(folder: string, root: string): string {
  const relative = posix.relative(root, folder);
  return relative.startsWith('..') ? folder : `./${relative}`;
}

/** A code block, which is kept; or a command, possibly escaped with a backslash. */
const PIECE = /(```[\s\S]*?```)|(\\?)!`([^`\n]+)`|(`[^`\n]*`)/g;

/** Replaces each command by its output, one after another. */
async function withOutputs(content: string, workspace: Workspace, signal: AbortSignal): Promise<string> {
  const pieces: string[] = [];
  let from = 0;
  for (const match of content.matchAll(PIECE)) {
    const [whole, , backslash, command] = match;
    pieces.push(content.slice(from, match.index));
    from = match.index + whole.length;
    if (command === undefined) pieces.push(whole);
    else pieces.push(backslash === '\\' ? whole.slice(1) : await outputOf(command, workspace, signal));
  }
  return [...pieces, content.slice(from)].join('');
}

async function outputOf(command: string, workspace: Workspace, signal: AbortSignal): Promise<string> {
  const limits = { timeoutMs: COMMAND_TIMEOUT_MS, maxBytes: MAX_OUTPUT_BYTES, signal };
  const { exit, output } = await capture(workspace, ['sh', '-c', command], limits);
  const said = output.trimEnd();
  if (exit === null)
    return `[the command was stopped after ${COMMAND_TIMEOUT_MS / 1_000} s] ${said}`.trimEnd();
  return exit.code === 0 ? said : `[exit code ${exit.code}] ${said}`.trimEnd();
}
