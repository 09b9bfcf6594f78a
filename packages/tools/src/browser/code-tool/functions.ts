import { setTimeout as sleep } from 'node:timers/promises';
import { ToolError } from '@longhand/sdk';
import { ownValue } from '@longhand/sdk/value';
import * as z from 'zod';
import type { Session } from '../engine/session.ts';
import { scrollBy } from '../observed/scroll.ts';
import { click, fillIn, onElement } from '../pages/element.ts';
import { goInHistory } from '../pages/history.ts';
import { setFiles } from '../pages/upload.ts';
import { visit } from '../pages/visit.ts';
import type { Call, Literal } from './call-syntax.ts';

/** One of the fifteen functions: its parameters, in order, and what it does. */
interface BrowserFunction {
  readonly signature: string;
  readonly parameters: z.ZodObject;
  run(session: Session, args: never, signal: AbortSignal): Promise<void>;
}

const bid = z.string().min(1);
const url = z.string().min(1);
const files = z.union([z.string().min(1), z.array(z.string().min(1))]);
const MODIFIERS = ['Alt', 'Control', 'ControlOrMeta', 'Meta', 'Shift'] as const;
const pointer = z.object({
  bid,
  button: z.enum(['left', 'middle', 'right']).default('left'),
  modifiers: z.array(z.enum(MODIFIERS)).default([]),
});

/** Checks `run` against the parameters, then erases the types so that all functions fit in one table. */
function define<Shape extends z.ZodRawShape>(
  signature: string,
  parameters: z.ZodObject<Shape>,
  run: (session: Session, args: z.output<z.ZodObject<Shape>>, signal: AbortSignal) => Promise<void>,
): BrowserFunction {
  return { signature, parameters, run } as unknown as BrowserFunction;
}

const MAX_WAIT_MS = 60_000;

export const FUNCTIONS: { readonly [name: string]: BrowserFunction } = {
  goto: define('goto(url)', z.object({ url }), async (session, args, signal) => {
    await visit(session, await session.tabs.current(), args.url, signal);
  }),
  go_back: define('go_back()', z.object({}), (session) => goInHistory(session, 'back')),
  go_forward: define('go_forward()', z.object({}), (session) => goInHistory(session, 'forward')),
  noop: define(
    'noop(wait_ms=1000)',
    z.object({ wait_ms: z.number().min(0).max(MAX_WAIT_MS).default(1_000) }),
    async (_session, { wait_ms }, signal) => void (await sleep(wait_ms, undefined, { signal })),
  ),
  scroll: define(
    'scroll(delta_x, delta_y)',
    z.object({ delta_x: z.number(), delta_y: z.number() }),
    async (session, { delta_x, delta_y }) => await scrollBy(session, delta_x, delta_y),
  ),
  fill: define('fill(bid, value)', z.object({ bid, value: z.string() }), async (session, args, signal) => {
    await onElement(session, args.bid, signal, (element, options) => fillIn(element, args.value, options));
  }),
  select_option: define(
    'select_option(bid, options)',
    z.object({ bid, options: z.union([z.string(), z.array(z.string())]) }),
    async (session, args, signal) => {
      const wanted = [args.options].flat();
      await onElement(session, args.bid, signal, (element, options) => element.selectOption(wanted, options));
    },
  ),
  click: define('click(bid, button="left", modifiers=[])', pointer, async (session, args, signal) => {
    const { button, modifiers } = args;
    await click(session, args.bid, signal, { button, modifiers });
  }),
  dblclick: define('dblclick(bid, button="left", modifiers=[])', pointer, async (session, args, signal) => {
    const { button, modifiers } = args;
    await onElement(session, args.bid, signal, (element, options) =>
      element.dblclick({ button, modifiers, ...options }),
    );
  }),
  hover: define('hover(bid)', z.object({ bid }), async (session, args, signal) => {
    await onElement(session, args.bid, signal, (element, options) => element.hover(options));
  }),
  press: define(
    'press(bid, key_comb)',
    z.object({ bid, key_comb: z.string().min(1) }),
    async (session, args, signal) => {
      await onElement(session, args.bid, signal, (element, options) => element.press(args.key_comb, options));
    },
  ),
  focus: define('focus(bid)', z.object({ bid }), async (session, args, signal) => {
    await onElement(session, args.bid, signal, (element, options) => element.focus(options));
  }),
  clear: define('clear(bid)', z.object({ bid }), async (session, args, signal) => {
    await onElement(session, args.bid, signal, (element, options) => element.clear(options));
  }),
  drag_and_drop: define(
    'drag_and_drop(from_bid, to_bid)',
    z.object({ from_bid: bid, to_bid: bid }),
    async (session, { from_bid, to_bid }, signal) => {
      await onElement(session, to_bid, signal, (target) =>
        onElement(session, from_bid, signal, (element, options) => element.dragTo(target, options)),
      );
    },
  ),
  upload_file: define(
    'upload_file(bid, file)',
    z.object({ bid, file: files }),
    async (session, args, signal) => await setFiles(session, args.bid, [args.file].flat(), signal),
  ),
};

/** A call that is ready to be executed. */
export interface Step {
  readonly source: string;
  run(session: Session, signal: AbortSignal): Promise<void>;
}

/** Throws ToolError if the function does not exist or does not accept these arguments. */
export function stepOf(call: Call): Step {
  const found = ownValue(FUNCTIONS, call.name);
  if (found === undefined) {
    const known = Object.values(FUNCTIONS).map((each) => each.signature);
    throw new ToolError(
      `There is no function "${call.name}", so nothing was executed. Functions: ${known.join(', ')}.`,
    );
  }
  const parsed = found.parameters.safeParse(named(call, found));
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
    throw new ToolError(
      `The arguments of ${call.name} are wrong, so nothing was executed: ${wrong}. Signature: ${found.signature}.`,
    );
  }
  return {
    source: call.source,
    run: (session, signal) => found.run(session, parsed.data as never, signal),
  };
}

function named(call: Call, { parameters, signature }: BrowserFunction): { readonly [name: string]: Literal } {
  const names = Object.keys(parameters.shape);
  const twice = names.slice(0, call.positional.length).find((name) => Object.hasOwn(call.named, name));
  const unknown = Object.keys(call.named).find((name) => !names.includes(name));
  if (call.positional.length > names.length || twice !== undefined || unknown !== undefined) {
    const problem =
      unknown !== undefined
        ? `it has no parameter "${unknown}"`
        : twice !== undefined
          ? `"${twice}" is given twice`
          : 'there are too many arguments';
    throw new ToolError(
      `The arguments of ${call.name} are wrong, so nothing was executed: ${problem}. Signature: ${signature}.`,
    );
  }
  const positional = call.positional.map((value, i) => [names[i] ?? '', value] as const);
  return { ...Object.fromEntries(positional), ...call.named };
}
