import {
  type Content,
  defineTool,
  image,
  type ToolContext,
  type ToolEnvironment,
  type ToolFactory,
  text,
} from '@longhand/sdk';
import { CLIPPED, OUTPUTS, truncateMiddle } from '@longhand/sdk/internal';
import { defined, tailOf } from '@longhand/sdk/value';
import * as z from 'zod';
import { keepFile } from '../kept-file.ts';
import { toolParams } from '../tool-params.ts';
import type { CellImage, CellResult } from './output.ts';
import { DEFAULT_PLUGINS, definingCell, type Plugins, pluginsOf } from './plugins.ts';
import { type CellEnd, runCell, type Session } from './session.ts';
import type { Started } from './start-session.ts';

const LIMIT = 30_000;
const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 86_400;

const input = z.object({
  code: z
    .string()
    // The kernel would not answer at all.
    .refine(
      (code) => !code.includes('\0'),
      'Python code must not contain NUL characters. Write \\0 in a string.',
    )
    .describe('Python code to run. Magics (%pip, %cd, %%bash) and !commands are allowed.'),
  timeout: z
    .number()
    .positive()
    .max(MAX_SECONDS)
    .default(DEFAULT_SECONDS)
    .describe(`Seconds after which the cell is interrupted; default ${DEFAULT_SECONDS}.`),
});
type Input = z.output<typeof input>;

interface Output {
  readonly content: readonly Content[];
  readonly is_error: boolean;
  readonly code: string;
  readonly timeout: boolean;
  readonly full_output_save_dir?: string;
  readonly [key: string]: unknown;
}

const params = {
  /** The preferred interpreter, by path or name. */
  python: z.string().min(1).optional(),
  /** Use plain Python even if ipykernel is installed. */
  plain: z.boolean().default(false),
  /** What cells find predefined: V0's plugins by name, or Python files of one's own. */
  sandbox_plugins: z.array(z.string().min(1)).default(DEFAULT_PLUGINS),
};
type IPythonParams = z.output<z.ZodObject<typeof params>>;

/** `execute_ipython_cell`: a Python that keeps its variables, with rich output. */
export const ipythonTool: ToolFactory = {
  name: 'execute_ipython_cell',
  create: async (environment, given) => {
    const settings = toolParams('execute_ipython_cell', params, given);
    const plugins = await pluginsOf(settings.sandbox_plugins, environment);
    const notebook = new Notebook(environment, settings, plugins);
    return [
      defineTool<Input, Output>({
        name: 'execute_ipython_cell',
        kind: { tool: 'IPythonTool', action: 'IPythonAction', observation: 'IPythonObservation' },
        description: description(plugins),
        input: input as z.ZodType<Input>,
        annotations: {
          title: 'execute_ipython_cell',
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: true,
        },
        resources: () => ['ipython:session'],
        show: {
          call: ({ code }) => `>>> ${code.trimEnd().replaceAll('\n', '\n... ')}`,
        },
        run: (call, context) => notebook.run(call, context),
        close: () => notebook.close(),
      }),
    ];
  },
};

function description({ hasAgentSkills, files }: Plugins): string {
  const names = [...(hasAgentSkills ? AGENT_SKILLS : []), ...files.flatMap((file) => file.names)];
  const predefined = names.length === 0 ? '' : `- Predefined (see help(name)): ${names.join(', ')}.\n`;
  return `Runs a cell in a persistent IPython session. Variables, imports and the working directory are kept between cells and are independent of the terminal.
- The result contains printed text, the value of the last expression, displays, images (including matplotlib figures) and tracebacks.
- Install packages with %pip install; run shell commands with !command or %%bash.
- Do not call input(): nobody can answer. A cell that exceeds its timeout is interrupted; variables are kept.
- Call exit() to restart: the next cell runs in a new session.
${predefined}- Output over ${LIMIT} characters is clipped in the middle.`;
}

/** `__all__` of `python/agentskills.py`. */
const AGENT_SKILLS = [
  'open_file',
  'goto_line',
  'scroll_down',
  'scroll_up',
  'search_dir',
  'search_file',
  'find_file',
  'parse_pdf',
  'parse_docx',
  'parse_pptx',
  'parse_latex',
];

const PLUGINS_SECONDS = 60;

/** One conversation's Python. */
class Notebook {
  readonly #environment: ToolEnvironment;
  readonly #params: IPythonParams;
  readonly #plugins: Plugins;
  #session: Session | null = null;
  #isClosed = false;
  /** The notice that the model has already been given. */
  #lastNotice = '';

  constructor(environment: ToolEnvironment, params: IPythonParams, plugins: Plugins) {
    this.#environment = environment;
    this.#params = params;
    this.#plugins = plugins;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  async #end(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    await session?.close();
  }

  async run(call: Input, { signal, onOutput }: ToolContext): Promise<Output> {
    const { session, notice } = await this.#start(signal);
    session.output.onOutput = onOutput;
    const end = await runCell(session, call.code, { timeoutMs: call.timeout * 1_000, signal });
    const shown = session.output.take();
    const remarks = [endText(end, call.timeout, session.lastOutput()), notice];
    if (!stays(end)) await this.#end();
    return this.#answer(call, shown, remarks, end);
  }

  async #start(signal: AbortSignal): Promise<Started> {
    if (this.#session !== null) return { session: this.#session, notice: '' };
    const { startSession } = await import('./start-session.ts');
    const { python, plain } = this.#params;
    const { hasAgentSkills } = this.#plugins;
    const options = { python, plain, hasAgentSkills };
    const { session, notice: started } = await startSession(this.#environment.workspace, options, signal);
    this.#session = session;
    const notice = [started, await this.#definePlugins(session, signal)].filter(Boolean).join('\n');
    if (this.#isClosed) {
      await this.#end();
      throw new Error('the conversation was closed while Python was starting');
    }
    if (notice === this.#lastNotice) return { session, notice: '' };
    this.#lastNotice = notice;
    return { session, notice };
  }

  /** Returns what the model must know: empty if all plugins are defined. */
  async #definePlugins(session: Session, signal: AbortSignal): Promise<string> {
    const code = definingCell(this.#plugins);
    if (code === null) return '';
    const end = await runCell(session, code, { timeoutMs: PLUGINS_SECONDS * 1_000, signal });
    const { text: printed } = session.output.take();
    if (end.kind === 'ok') return '';
    const why = endText(end, PLUGINS_SECONDS, session.lastOutput());
    return `[The functions of sandbox_plugins are not defined:]\n${[tailOf(printed, 2_000), why].filter(Boolean).join('\n')}`;
  }

  #answer(call: Input, shown: CellResult, remarks: readonly string[], end: CellEnd): Output {
    const { clipped, directory } = this.#clip(shown);
    const { vision } = this.#environment;
    const lines = [
      end.kind === 'ok' && clipped === '' ? NO_OUTPUT : clipped,
      ...(vision ? [] : shown.images.map((each, i) => this.#saved(each, i + 1))),
      ...remarks,
    ].filter((part) => part !== '');
    return {
      content: [
        text(lines.join('\n')),
        ...(vision && shown.images.length > 0 ? [image(...shown.images.map(urlOf))] : []),
      ],
      is_error: end.kind !== 'ok' && end.kind !== 'exit',
      code: call.code,
      timeout: end.kind === 'late',
      ...defined({ full_output_save_dir: directory }),
    };
  }

  /** Output that is too long is stored in a file, which the notice names. */
  #clip({ text, isWhole }: CellResult): { readonly clipped: string; readonly directory?: string } {
    if (text.length <= LIMIT) return { clipped: text };
    const saved = this.#keep('ipython_output', 'txt', Buffer.from(text));
    if (saved === null) return { clipped: truncateMiddle(text, LIMIT, `\n${CLIPPED}\n`) };
    const what = isWhole ? 'The full output is' : 'The first and the last megabytes of the output are';
    const notice = (line: number) =>
      `\n${CLIPPED} ${what} in ${saved.path}; the cut begins at line ${line}.\n`;
    const head = text.slice(0, (LIMIT - notice(LIMIT).length) / 2);
    const clipped = truncateMiddle(text, LIMIT, notice(head.split('\n').length));
    return { clipped, directory: saved.folder };
  }

  /** For a model without vision: where an image is stored. */
  #saved({ mediaType, base64 }: CellImage, number: number): string {
    const extension = mediaType.slice('image/'.length);
    const saved = this.#keep('ipython_image', extension, Buffer.from(base64, 'base64'));
    const where = saved === null ? '' : `; it is in ${saved.path}`;
    return `[image ${number} is ${mediaType}, which this model cannot see${where}]`;
  }

  /** Null if nothing is stored. */
  #keep(prefix: string, extension: string, bytes: Uint8Array) {
    const { files } = this.#environment;
    if (files === null) return null;
    return { folder: files.pathOf(OUTPUTS), path: keepFile(files, prefix, bytes, extension) };
  }
}

const NO_OUTPUT = '[The cell finished without output.]';
const RENEWED = 'Variables are lost; the next cell starts a new session.';

function urlOf({ mediaType, base64 }: CellImage): string {
  return `data:${mediaType};base64,${base64}`;
}

/** Whether the session can run another cell. */
function stays(end: CellEnd): boolean {
  if (end.kind === 'late' || end.kind === 'aborted') return end.isAlive;
  return end.kind === 'ok' || end.kind === 'error';
}

function endText(end: CellEnd, seconds: number, lastOutput: string): string {
  switch (end.kind) {
    case 'ok':
    case 'error':
      return '';
    case 'exit':
      return `[The cell ended Python. ${RENEWED}]`;
    case 'late':
    case 'aborted': {
      const why = end.kind === 'late' ? `Timed out after ${seconds} seconds` : 'The run was interrupted';
      const then = end.isAlive
        ? 'The cell was interrupted; its effects so far are kept.'
        : `The cell did not react to the interrupt, so Python was terminated. ${RENEWED}`;
      return `[${why}. ${then}]`;
    }
    case 'died': {
      const status = end.exit.signal ?? `exit code ${end.exit.code ?? 'unknown'}`;
      const memory = end.exit.signal === 'SIGKILL' ? ', perhaps out of memory' : '';
      const words = lastOutput === '' ? '' : `\nIts last output: ${lastOutput}`;
      return `[Python exited unexpectedly (${status}${memory}). ${RENEWED}]${words}`;
    }
  }
}
