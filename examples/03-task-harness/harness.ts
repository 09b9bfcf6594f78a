/**
 * A harness for tasks that are judged: a configuration, a folder with the task, and a line for everything that the agent does.
 *
 *     node --conditions=longhand-source examples/03-task-harness/harness.ts \
 *       --eval_config examples/03-task-harness/config.json --task_dir examples/03-task-harness/task --debug
 *
 * The folder holds `task.md`, `files/` to work on (a copy is worked on), and may hold `tools.ts` with tools of whatever maker.
 * The last line of standard output is the result as JSON.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import {
  adaptTools,
  type Event,
  openLocalWorkspace,
  runHeadless,
  type ToolFactory,
  textOf,
} from '@longhand/sdk';
import { llmFromWire } from '@longhand/sdk/internal';
import { builtinTools, DEFAULT_TOOLS } from '@longhand/tools';

interface EvalConfig {
  /** As `base_state.json` has it: model, base_url, api_key, ... */
  readonly llm: object;
  readonly max_iterations?: number;
}

const { values } = parseArgs({
  options: {
    eval_config: { type: 'string' },
    task_dir: { type: 'string' },
    output_dir: { type: 'string' },
    debug: { type: 'boolean', default: false },
  },
});
if (values.eval_config === undefined || values.task_dir === undefined) {
  console.error('usage: harness.ts --eval_config FILE --task_dir DIR [--output_dir DIR] [--debug]');
  process.exit(2);
}

const config = JSON.parse(readFileSync(values.eval_config, 'utf8')) as EvalConfig;
const taskDir = resolve(values.task_dir);
const output = resolve(values.output_dir ?? mkdtempSync(join(tmpdir(), 'longhand-task-')));
const work = join(output, 'work');
mkdirSync(work, { recursive: true });
if (existsSync(join(taskDir, 'files'))) cpSync(join(taskDir, 'files'), work, { recursive: true });

const own = await toolsOf(join(taskDir, 'tools.ts'));
const result = await runHeadless(
  {
    agent: {
      llm: llmFromWire(config.llm as { [key: string]: unknown }),
      tools: [...DEFAULT_TOOLS, ...own.map(({ name }) => ({ name, params: {} }))],
    },
    tools: [...builtinTools, ...own],
    workspace: openLocalWorkspace(work),
    place: { conversationsDir: join(output, 'conversations') },
    limits: { maxIterations: config.max_iterations },
  },
  readFileSync(join(taskDir, 'task.md'), 'utf8'),
  { subscribers: { log: (event) => log(event, values.debug) } },
);
const { outcome, state, stats, id } = result;
console.log(JSON.stringify({ outcome: outcome.kind, state, conversation: id, work, stats }));
process.exitCode = outcome.kind === 'finished' ? 0 : 1;

/** Under names that cannot be taken for ours. */
async function toolsOf(path: string): Promise<readonly ToolFactory[]> {
  if (!existsSync(path)) return [];
  const { tools } = (await import(pathToFileURL(path).href)) as {
    readonly tools: readonly { readonly name: string }[];
  };
  return await adaptTools(tools.map((tool) => ({ ...tool, name: `local-${tool.name}` })));
}

/** What the tool was called with and what it answered; without `debug` the first line of each. */
function log(event: Event, debug: boolean): void {
  const shown = (text: string) => (debug ? text : (text.split('\n')[0] ?? '').slice(0, 200));
  switch (event.kind) {
    case 'ActionEvent':
      console.log(`[Action] ${event.tool_name} ${shown(event.tool_call.arguments)}`);
      return;
    case 'ObservationEvent':
      console.log(`[Observation] ${event.tool_name} ${shown(textOf(event.observation.content))}`);
      return;
    case 'AgentErrorEvent':
      console.log(`[Error] ${event.tool_name} ${shown(event.error)}`);
      return;
    case 'MessageEvent':
      console.log(`[Message] ${event.source} ${shown(textOf(event.llm_message.content))}`);
      return;
    default:
      if (debug) console.log(`[Event] ${event.kind}`);
  }
}
