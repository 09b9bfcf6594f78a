/** What holds for every foreign tool, whatever its format. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tool as langChainTool } from '@langchain/core/tools';
import { tool as openAiTool } from '@openai/agents-core';
import { tool as aiTool, jsonSchema } from 'ai';
import * as z from 'zod';
import { openedTools } from '../../../test-support/opened-tools.ts';
import type { ToolResult } from '../../testing/try-tools.ts';
import { toolSchema } from '../tool-schema.ts';
import { createToolSet } from '../tool-set.ts';
import { adaptTool, adaptTools } from './adapt-tool.ts';
import type { AdaptOptions } from './format.ts';

const open = openedTools();

type Run = (input: never, ...more: never[]) => unknown;

/** Calls a function that accepts any arguments. */
async function run(
  execute: Run,
  args: object | string = {},
  options: AdaptOptions = {},
): Promise<ToolResult> {
  const factory = await adaptTool({ name: 'x', parameters: { type: 'object' }, execute }, options);
  return await (await open(factory)).call(args);
}

/** Names that the event, a foreign format or every object uses itself. */
const NAMES = [
  ...['kind', 'data', 'type', 'id', 'name', 'args', 'arguments', 'tool', 'tool_name', 'tool_call_id'],
  ...['content', 'is_error', 'constructor', 'toString', '__proto__', 'summary', 'security_risk'],
];
const schema = `{"type":"object","properties":{${NAMES.map((name) => `"${name}":{"type":"string"}`)}}}`;
const parameters = JSON.parse(schema) as { [key: string]: unknown };
const sent = `{${NAMES.map((name) => `"${name}":"own ${name}"`)}}`;
const made: readonly [string, () => object][] = [
  ['a plain function', () => ({ name: 'x', parameters, execute: (input: object) => input })],
  [
    'the AI SDK',
    () => aiTool({ inputSchema: jsonSchema<object>(parameters), execute: async (input) => input }),
  ],
  [
    '@openai/agents',
    () =>
      openAiTool({
        name: 'x',
        description: 'd',
        strict: false,
        parameters: { ...parameters, additionalProperties: true } as never,
        errorFunction: null,
        execute: async (input) => JSON.stringify(input),
      }),
  ],
  [
    'LangChain',
    () =>
      langChainTool(async (input) => JSON.stringify(input), {
        name: 'x',
        description: 'd',
        schema: parameters,
      }),
  ],
];
for (const [format, make] of made) {
  test(`${format}: a parameter may have any name, and reaches its tool unchanged`, async () => {
    const opened = await open(await adaptTool(make(), { name: 'x' }));
    const { said, observation } = await opened.call(sent);
    assert.equal(said, JSON.stringify(JSON.parse(sent)));
    assert.equal(observation?.kind, 'XObservation');
    assert.deepEqual(Object.keys(toolSchema(opened.tools[0]!).parameters['properties'] as object), NAMES);
    assert.equal(({} as { polluted?: string }).polluted, undefined);
  });
}

test('a __proto__ argument pollutes no prototype, and does not become the prototype of the input', async () => {
  const seen: unknown[] = [];
  await run(
    (input: object) => seen.push(Object.getPrototypeOf(input), 'admin' in input),
    '{"__proto__":{"admin":true}}',
  );
  assert.deepEqual([seen, 'admin' in {}], [[Object.prototype, false], false]);
});

test('meta parameters are the tool’s own only where it declares them', async () => {
  const none = await run((input: object) => input, { summary: 's', security_risk: 'LOW', q: 1 });
  assert.equal(none.said, '{"q":1}');
});

class QuotaError extends Error {
  override readonly name = 'QuotaError';
}

test('a thrown Error, a rejection and a thrown string come back with message and stack as an error result', async () => {
  const throwing: readonly [Run, RegExp][] = [
    [
      () => {
        throw new TypeError('no index');
      },
      /TypeError: no index\n\s+at .*adapt-tool\.int\.test/,
    ],
    [async () => Promise.reject(new QuotaError('none left')), /QuotaError: none left\n\s+at /],
    [
      () => {
        throw 'just words';
      },
      /just words/,
    ],
    [async () => Promise.reject({ code: 7 }), /\{"code":7\}/],
    [async () => Promise.reject(undefined), /undefined/],
    [
      async () => {
        throw new Error('outer', { cause: new RangeError('inner') });
      },
      /Error: outer\n[\s\S]*Caused by: RangeError: inner\n\s+at /,
    ],
    [async () => Promise.reject(ownCause), /Error: goes round\n\s+at [\s\S]*Caused by: the same$/],
    [async () => Promise.reject(circle), /a: 1, self: \[Circular/],
    [async () => Promise.reject(Object.create(null)), /^\[.*\]\n\n\{\}$/],
    [
      () => Promise.any([Promise.reject(new Error('first')), Promise.reject(new Error('second'))]),
      /AggregateError[\s\S]*One of them: Error: first\n\s+at [\s\S]*One of them: Error: second\n\s+at /,
    ],
    [async () => new Error('given back'), /Error: given back\n\s+at /],
    [
      async function* () {
        yield 1;
        throw new Error('half-way');
      },
      /Error: half-way/,
    ],
  ];
  for (const [execute, said] of throwing) {
    const result = await run(execute);
    assert.match(result.said, said);
    assert.deepEqual([result.isError, result.observation?.kind], [true, 'XObservation']);
  }
});

const circle: { [key: string]: unknown } = { a: 1 };
circle['self'] = circle;
const ownCause = new Error('goes round');
ownCause.cause = ownCause;

test('results may be text, parts, JSON or nothing', async () => {
  const png = 'iVBORw0KGgo=';
  const answers: readonly [unknown, string, images?: readonly string[]][] = [
    ['words', 'words'],
    ['', '(The tool gave no result.)'],
    [undefined, '(The tool gave no result.)'],
    [null, 'null'],
    [0, '0'],
    [{ a: [1, { b: null }] }, '{"a":[1,{"b":null}]}'],
    [[1, 2], '[1,2]'],
    [[], '[]'],
    [{ type: 'text', text: 'part' }, 'part'],
    [{ content: [{ type: 'text', text: 'as MCP' }] }, 'as MCP'],
    [
      { content: [{ type: 'text', text: 'a' }], title: 'page' },
      '{"content":[{"type":"text","text":"a"}],"title":"page"}',
    ],
    [{ type: 'image', data: png, mimeType: 'image/png' }, '', [`data:image/png;base64,${png}`]],
    [
      [
        { type: 'text', text: 'see' },
        { type: 'image_url', image_url: 'https://example.invalid/a.png' },
      ],
      'see',
      ['https://example.invalid/a.png'],
    ],
    [new Uint8Array(3), '(3 bytes)'],
    [10n, '10'],
    [{ total: 10n, at: new Date(0) }, '{"total":"10","at":"1970-01-01T00:00:00.000Z"}'],
    [new Map([['a', new Set([1])]]), '[["a",[1]]]'],
    [
      [{ status: 'rejected', reason: new RangeError('too far') }],
      '[{"status":"rejected","reason":"RangeError: too far"}]',
    ],
    [circle, '<ref *1> { a: 1, self: [Circular *1] }'],
  ];
  for (const [answer, said, images] of answers) {
    const result = await run(async () => answer);
    const shown = result.content.flatMap((each) => (each.type === 'image' ? each.image_urls : []));
    assert.deepEqual([result.said, shown, result.isError], [said, images ?? [], false]);
  }
});

test('an async generator’s last value is the result', async () => {
  const result = await run(async function* () {
    yield 'one';
    yield { two: 2 };
  });
  assert.equal(result.said, '{"two":2}');
});

test('a result of two megabytes is clipped like any other: head, tail and images are kept', async () => {
  const long = `head ${'x'.repeat(2_000_000)} tail`;
  const result = await run(async () => [
    { type: 'text', text: long },
    { type: 'image', data: 'QUJD', mimeType: 'image/png' },
  ]);
  assert.equal(result.said.length, 30_000);
  assert.match(result.said, /^head x+\n<response clipped>[\s\S]*x tail$/);
  assert.equal(result.content.at(-1)?.type, 'image');
});

test('an image that is too large for providers is named instead of shown', async () => {
  const image = (bytes: number) => ({ type: 'image', data: Buffer.alloc(bytes), mimeType: 'image/png' });
  const result = await run(async () => [image(6_000_000), image(5_000_000)]);
  assert.deepEqual(
    result.content.map(({ type }) => type),
    ['text', 'image'],
  );
  assert.match(result.said, /image of more than 5 MB/);
});

test('a call that takes too long is aborted and gets an error result, whether or not it reacts to its signal', async () => {
  let reason: unknown;
  const listening = await run(
    async (_: object, { signal }: { signal: AbortSignal }) =>
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          reject(signal.reason);
        });
      }),
    {},
    { timeoutMs: 5 },
  );
  assert.match(listening.said, /did not answer within 0\.005 seconds/);
  assert.deepEqual([listening.isError, (reason as Error).name], [true, 'TimeoutError']);
  const deaf = await run(() => new Promise(() => undefined), {}, { timeoutMs: 5 });
  assert.deepEqual([deaf.isError, /did not answer/.test(deaf.said)], [true, true]);
  const generator = await run(
    async function* () {
      yield 1;
      await new Promise(() => undefined);
    },
    {},
    { timeoutMs: 5 },
  );
  assert.equal(generator.isError, true);
});

test('a check of the arguments that never ends times out', async () => {
  const never = () => new Promise<never>(() => undefined);
  const checking = { name: 'x', parameters: z.object({ a: z.string().refine(never) }), execute: () => 'ran' };
  const opened = await open(await adaptTool(checking, { name: 'x', timeoutMs: 5 }));
  assert.match((await opened.call({ a: 'b' })).said, /did not answer within 0\.005 seconds/);
});

test('a call without a time limit does not time out', async () => {
  for (const timeoutMs of [0, Number.POSITIVE_INFINITY, 2 ** 40]) {
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return 'here';
    };
    assert.equal((await run(slow, {}, { timeoutMs })).said, 'here');
  }
});

test('a name that providers reject is converted, and the observation keeps the original', async () => {
  const named = async (name: string) =>
    await open(await adaptTool({ name, parameters: { type: 'object' }, execute: () => 'x' }));
  const dotted = await named('my tools.web search');
  assert.equal(dotted.tools[0]?.name, 'my_tools_web_search');
  assert.equal((await dotted.call({})).observation?.['tool_name'], 'my tools.web search');
  const long = [await named('a'.repeat(90)), await named(`${'a'.repeat(90)}b`)].map(
    ({ tools }) => tools[0]!.name,
  );
  assert.ok(long.every((name) => /^[\w-]{64}$/.test(name)));
  assert.notEqual(long[0], long[1]);
  await assert.rejects(named(' '), /has no name/);
});

test('two tools with the same name are an error', async () => {
  const one = { name: 'web.search', parameters: {}, execute: () => 1 };
  const two = { name: 'web_search', parameters: {}, execute: () => 2 };
  const factories = await adaptTools([one, two]);
  const { workspace } = await open(factories[0]!);
  const making = createToolSet(
    [{ name: 'web_search', params: {} }],
    [
      {
        name: 'web_search',
        create: async () => (await Promise.all(factories.map((each) => each.create({} as never, {})))).flat(),
      },
    ],
    { workspace, files: null, vision: false, onWarning: () => undefined },
  );
  await assert.rejects(making, /two tools are called "web_search"/);
});

test('title, annotations and resources in the options override the tool’s own', async () => {
  const factory = await adaptTool(
    { name: 'a', parameters: { type: 'object' }, execute: () => 'x' },
    {
      title: 'Looks',
      annotations: { readOnlyHint: true, destructiveHint: false },
      resources: ({ path }) => [`file:${path}`],
      endsRun: true,
    },
  );
  const tool = (await open(factory)).tools[0]!;
  assert.deepEqual(tool.annotations, {
    title: 'Looks',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: true,
  });
  assert.deepEqual([tool.resources?.({ path: '/a' }), tool.endsRun], [['file:/a'], true]);
});

test('a tool that modifies its arguments does not change what is stored', async () => {
  const execute = (input: { list: number[] }) => {
    input.list.push(3);
    return input;
  };
  const given = { list: [1] };
  const factory = await adaptTool({ name: 'a', parameters: { type: 'object' }, execute });
  const opened = await open(factory);
  const input = opened.tools[0]!.input as { parse(args: object): object };
  assert.equal(input.parse(given), given);
  assert.equal((await opened.call(given)).said, '{"list":[1,3]}');
  assert.deepEqual(given, { list: [1] });
});
