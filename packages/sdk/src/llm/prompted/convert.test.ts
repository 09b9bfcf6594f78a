import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type TextContent, text } from '../../event/content.ts';
import type { Message } from '../../event/message.ts';
import type { ToolSchema } from '../llm.ts';
import { FORM_REMINDER, fromPrompted, promptedConverter, readAnswer, toPrompted } from './convert.ts';
import { readCall, writeCall } from './grammar.ts';

const TOOL: ToolSchema = {
  name: 'file_editor',
  description: 'edits',
  parameters: {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'what to write' },
      line: { type: 'integer' },
      share: { type: 'number' },
      all: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
      more: { type: 'object' },
      mode: { type: 'string', enum: ['view', 'create'] },
    },
    required: ['text'],
  },
};
const TOOLS = [
  TOOL,
  { name: 'terminal', description: 'runs', parameters: { type: 'object', properties: {} } },
];
const schemaOf = (name: string) => TOOLS.find((tool) => tool.name === name);

/** Texts with all that the grammar is made of in them. */
const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '</parameter>',
        '<parameter=x>',
        '</function>',
        '</function',
        '<function=terminal>',
        '<\\/parameter>',
        '<\\\\parameter=a>',
        '\n',
        '  ',
        '\t',
        '{"a":1}',
        'EXECUTION RESULT of [terminal]:\n',
      ),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));
const args = fc
  .record(
    {
      text: nasty,
      line: fc.integer(),
      share: fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Object.is(n, -0) ? 0 : n)),
      all: fc.boolean(),
      tags: fc.array(nasty),
      more: fc.dictionary(
        fc.string({ minLength: 1 }).filter((key) => key !== '__proto__'),
        nasty,
        { noNullPrototype: true },
      ),
    },
    { requiredKeys: ['text'] },
  )
  .map((value) => ({ ...value }));

test('a call that was written is read back unchanged, whatever it contains', () => {
  fc.assert(
    fc.property(args, (value) => {
      const call = { name: 'file_editor', args: value };
      assert.deepEqual(readCall(writeCall(call), schemaOf), { content: '', call });
    }),
  );
});

test('a call whose end the stop word cut off is read completely', () => {
  fc.assert(
    fc.property(args, (value) => {
      const call = { name: 'file_editor', args: value };
      const cut = writeCall(call).slice(0, -'</function>'.length);
      assert.deepEqual(readCall(cut, schemaOf)?.call, call);
    }),
  );
});

const words = nasty.filter((value) => value !== '' && !/(<\/think>|<tool_call>)\s*$/.test(value));
/** Turns of one call, as they are read back: a result, and sometimes a word of the user's. */
const turn = fc.record({
  said: fc.option(words, { nil: undefined }),
  args,
  result: nasty,
  word: fc.option(words, { nil: undefined }),
});

function history(
  turns: readonly { said?: string | undefined; args: object; result: string; word?: string | undefined }[],
): Message[] {
  const messages: Message[] = [
    { role: 'system', content: [text('be brief')] },
    { role: 'user', content: [text('do it')] },
  ];
  for (const [i, { said, args: value, result, word }] of turns.entries()) {
    const id = `id-${i}`;
    messages.push(
      {
        role: 'assistant',
        content: said === undefined ? [] : [text(said)],
        tool_calls: [{ id, name: 'file_editor', arguments: JSON.stringify(value), origin: 'completion' }],
      },
      { role: 'tool', content: [text(result)], tool_call_id: id, name: 'file_editor' },
    );
    if (word !== undefined)
      messages.push(
        { role: 'assistant', content: [text(word)] },
        { role: 'user', content: [text(`go on: ${word}`)] },
      );
  }
  return messages;
}

/** Ids are made anew, and are only compared by whom they pair. */
function numbered(messages: readonly Message[]): unknown {
  const ids = new Map<string, number>();
  const number = (id: string) => {
    if (!ids.has(id)) ids.set(id, ids.size);
    return ids.get(id);
  };
  return messages.map((message) => ({
    ...message,
    ...(message.tool_calls === undefined
      ? {}
      : { tool_calls: message.tool_calls.map((call) => ({ ...call, id: number(call.id) })) }),
    ...(message.tool_call_id === undefined ? {} : { tool_call_id: number(message.tool_call_id) }),
  }));
}

test('the converters are inverses of each other', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 4 }), fc.boolean(), (turns, example) => {
      const messages = history(turns);
      const back = fromPrompted(toPrompted(messages, TOOLS, { example }), TOOLS, { example });
      assert.deepEqual(numbered(back), numbered(messages));
    }),
  );
});

test('a longer history extends the prompt of a shorter one, message by message the same objects', () => {
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), (turns) => {
      const messages = history(turns);
      const convert = promptedConverter(TOOLS);
      const whole = convert(messages);
      const shorter = convert(messages.slice(0, 2));
      assert.ok(shorter.every((message, i) => message === whole[i]));
      assert.ok(convert(messages).every((message, i) => message === whole[i]));
    }),
  );
});

test('a turn of another model with several calls becomes one turn per call', () => {
  const call = (id: string) => ({
    id,
    name: 'terminal',
    arguments: '{"command":"ls"}',
    origin: 'completion' as const,
  });
  const messages: Message[] = [
    { role: 'user', content: [text('do it')] },
    { role: 'assistant', content: [text('two')], tool_calls: [call('a'), call('b')] },
    { role: 'tool', content: [text('A')], tool_call_id: 'a', name: 'terminal' },
    { role: 'tool', content: [text('B')], tool_call_id: 'b', name: 'terminal' },
  ];
  const converted = toPrompted(messages, TOOLS, { example: false }).slice(2);
  assert.deepEqual(
    converted.map(({ role, content }) => [role, (content[0] as TextContent).text]),
    [
      ['assistant', 'two\n\n<function=terminal>\n<parameter=command>ls</parameter>\n</function>'],
      ['user', 'EXECUTION RESULT of [terminal]:\nA'],
      ['assistant', '<function=terminal>\n<parameter=command>ls</parameter>\n</function>'],
      ['user', 'EXECUTION RESULT of [terminal]:\nB'],
    ],
  );
});

const answer = (words: string): Message => readAnswer({ role: 'assistant', content: [text(words)] }, TOOLS);

/** What models write, and what is meant. */
const LENIENCIES: readonly (readonly [why: string, written: string, meant: object])[] = [
  [
    'no line break behind the name',
    '<function=file_editor><parameter=text>a</parameter></function>',
    { text: 'a' },
  ],
  [
    'a number for a number',
    '<function=file_editor>\n<parameter=text>a</parameter>\n<parameter=share>0.5</parameter>\n</function>',
    { text: 'a', share: 0.5 },
  ],
  ['no security_risk', '<function=file_editor>\n<parameter=text>a</parameter>\n</function>', { text: 'a' }],
  [
    'a parameter that is closed twice over',
    '<function=file_editor>\n<parameter=text=a</parameter>\n</function>',
    { text: 'a' },
  ],
  [
    'tags of another form around it',
    '<tool_call>\n<function=file_editor>\n<parameter=text>a</parameter>\n</function>\n</tool_call>',
    { text: 'a' },
  ],
  [
    'thought that was just closed',
    'hm</think>\n<function=file_editor>\n<parameter=text>a</parameter>\n</function>',
    { text: 'a' },
  ],
  ['cut off in the middle of a value', '<function=file_editor>\n<parameter=text>a', { text: 'a' }],
  [
    'a closing tag in a value that goes on',
    '<function=file_editor>\n<parameter=text>say </parameter> here</parameter>\n</function>',
    { text: 'say </parameter> here' },
  ],
  [
    'blanks and lines of a value are its own',
    '<function=file_editor>\n<parameter=text>\n  a\n\n</parameter>\n</function>',
    { text: '  a\n' },
  ],
  [
    'text behind the call',
    '<function=file_editor>\n<parameter=text>a</parameter>\n</function>\nand then I wait',
    { text: 'a' },
  ],
];

for (const [why, written, meant] of LENIENCIES) {
  test(`accepted nevertheless: ${why}`, () => {
    const [call] = answer(written).tool_calls ?? [];
    assert.deepEqual([call?.name, JSON.parse(call?.arguments ?? 'null')], ['file_editor', meant]);
  });
}

test('ids are unique across all prompts', () => {
  const written = '<function=terminal>\n</function>';
  const ids = Array.from({ length: 100 }, () => answer(written).tool_calls![0]!.id);
  assert.equal(new Set(ids).size, 100);
});

test('the system prompt describes the tools, and the first message shows an example with the available ones', () => {
  const [system, user] = toPrompted(
    [
      { role: 'system', content: [text('s')] },
      { role: 'user', content: [text('do it')] },
    ],
    TOOLS,
  );
  const suffix = (system!.content[1] as TextContent).text;
  for (const part of [
    'BEGIN FUNCTION #1: file_editor',
    '(1) text (string, required): what to write',
    'Allowed values: `view`, `create`',
    'Each item: {"type":"string"}',
  ])
    assert.ok(suffix.includes(part), part);
  const shown = user!.content.map((block) => (block as TextContent).text);
  assert.equal(shown[1], 'do it');
  assert.match(shown[0]!, /<function=terminal>/);
  assert.doesNotMatch(shown[0]!, /<function=(browser|finish|task_tracker)/);
  assert.deepEqual(
    toPrompted([{ role: 'user', content: [text('do it')] }], [{ ...TOOL, name: 'unknown' }])[1]?.content,
    [text('do it'), text(FORM_REMINDER)],
  );
});

test('every message that is not the model’s ends with a reminder of the form, so that every request does', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 4 }), fc.boolean(), (turns, example) => {
      const ends = toPrompted(history(turns), TOOLS, { example }).flatMap(({ role, content }) =>
        role === 'user' ? [(content.at(-1) as TextContent).text] : [],
      );
      assert.deepEqual(new Set(ends), new Set([FORM_REMINDER]));
    }),
  );
});

test('names that every object inherits, and numbers that cannot be represented, stay as written', () => {
  const odd = JSON.parse('{"__proto__": "a", "constructor": "b", "line": "123456789012345678901"}') as object;
  const read = readCall(writeCall({ name: 'file_editor', args: { ...odd } }), schemaOf);
  assert.deepEqual(Object.entries(read?.call.args ?? {}), Object.entries(odd));
});
