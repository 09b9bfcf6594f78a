import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { text } from '../../event/content.ts';
import type { Message } from '../../event/message.ts';
import { SDK_VERSION } from '../../version.ts';
import { copyRequests, digestOf, RequestRecord, readRequests } from './request-record.ts';

function place(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-requests-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, file: join(folder, 'requests.jsonl') };
}

const user = (words: string): Message => ({ role: 'user', content: [text(words)] });
const tool = (name: string) => ({ name, description: 'd', parameters: {} });
const OPTIONS = { mask: (line: string) => line, warn: (words: string) => assert.fail(words) };
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(user) as [Message, Message, Message, Message];

test('each request has a line with what is new in it, and is read again whole', (t) => {
  const { folder, file } = place(t);
  const tools = [tool('one')];
  const more = [tool('one'), tool('two')];
  const record = new RequestRecord(folder, OPTIONS);
  record.add('e1', { messages: [a, b], tools });
  record.add('e2', { messages: [a, b, c], tools });
  record.add('e3', { messages: [a, d], tools: more });
  record.close();
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    [
      { at: 'e1', keep: 0, messages: [a, b].map(digestOf), tools, version: SDK_VERSION },
      { at: 'e2', keep: 2, messages: [c].map(digestOf) },
      { at: 'e3', keep: 1, messages: [d].map(digestOf), tools: more },
    ],
  );
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const requests = readRequests(folder);
  for (const [at, messages] of [
    ['e3', [a, d]],
    ['e1', [a, b]],
    ['e2', [a, b, c]],
  ] as const)
    assert.deepEqual(requests.behind(at), [messages.map(digestOf)]);
  assert.deepEqual(requests.behind('other'), []);
  const toolsAt = (...ids: string[]) => requests.toolsAt((id) => ids.includes(id))?.map(({ name }) => name);
  assert.deepEqual(
    [toolsAt(), toolsAt('e1', 'e2'), toolsAt('e1', 'e2', 'e3')],
    [['one'], ['one'], ['one', 'two']],
  );
});

test('a line that was torn costs itself only; the next program begins anew', (t) => {
  const { folder, file } = place(t);
  for (const at of ['e1', 'e2']) {
    const record = new RequestRecord(folder, OPTIONS);
    record.add(at, { messages: [a], tools: [] });
    record.close();
    appendFileSync(file, '{"at":"torn","kee');
  }
  const requests = readRequests(folder);
  assert.deepEqual(
    ['e1', 'e2', 'torn'].map((at) => requests.behind(at).length),
    [1, 1, 0],
  );
});

test('a digest depends on all that a message says, not on the order of its members', () => {
  const said: Message = { role: 'assistant', content: [text('x')] };
  const call = { id: 'a', name: 'echo', arguments: '{}', origin: 'completion' } as const;
  const others: readonly Message[] = [
    { ...said, content: [text('y')] },
    { ...said, role: 'user' },
    { ...said, tool_calls: [call] },
    { ...said, reasoning_content: 'hm' },
  ];
  assert.equal(new Set([said, ...others].map(digestOf)).size, 5);
  assert.equal(digestOf({ content: [text('x')], role: 'assistant', thinking_blocks: [] }), digestOf(said));
});

test('digests stay the same for ever, since they are stored', () => {
  const thought = { type: 'thinking', thinking: 'hm', signature: 's' } as const;
  const call = { id: 'a', name: 'echo', arguments: '{}', origin: 'completion' } as const;
  const messages: readonly Message[] = [
    { role: 'system', content: [text('be brief')] },
    { role: 'assistant', content: [text('x')], tool_calls: [call], thinking_blocks: [thought] },
    { role: 'tool', content: [text('y')], tool_call_id: 'a', name: 'echo' },
  ];
  assert.deepEqual(messages.map(digestOf), ['1f316d55f3357005', '50df141f224831a2', 'b156dffd97d9a585']);
});

test('requests that another version recorded are not compared', (t) => {
  const { folder, file } = place(t);
  const record = new RequestRecord(folder, OPTIONS);
  record.add('e1', { messages: [a], tools: [tool('one')] });
  record.add('e2', { messages: [a, b], tools: [tool('one')] });
  record.close();
  assert.equal(readRequests(folder).behind('e2').length, 1);
  writeFileSync(file, readFileSync(file, 'utf8').replace(`"version":"${SDK_VERSION}"`, '"version":"0.0.1"'));
  const other = readRequests(folder);
  assert.deepEqual([other.behind('e1'), other.behind('e2')], [[], []]);
  assert.equal(other.toolsAt(() => true)?.length, 1);
});

test('a folder without the file has no requests; a fork gets a copy', (t) => {
  const [from, to] = [place(t), place(t)];
  copyRequests(from.folder, to.folder);
  assert.deepEqual(
    [readRequests(to.folder).behind('e1'), readRequests(to.folder).toolsAt(() => true)],
    [[], undefined],
  );
  const record = new RequestRecord(from.folder, OPTIONS);
  record.add('e1', { messages: [a], tools: [] });
  copyRequests(from.folder, to.folder);
  record.close();
  assert.equal(readRequests(to.folder).behind('e1').length, 1);
});

test('what cannot be written is warned of once, and secrets are masked', (t) => {
  const { folder, file } = place(t);
  const masked = new RequestRecord(folder, {
    ...OPTIONS,
    mask: (line) => line.replaceAll('secret', 'hidden'),
  });
  masked.add('e1', { messages: [a], tools: [tool('secret')] });
  masked.close();
  assert.match(readFileSync(file, 'utf8'), /"name":"hidden"/);
  const warnings: string[] = [];
  writeFileSync(join(folder, 'file'), '');
  const record = new RequestRecord(join(folder, 'file'), {
    ...OPTIONS,
    warn: (words) => warnings.push(words),
  });
  for (const at of ['e1', 'e2']) record.add(at, { messages: [a], tools: [] });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /requests\.jsonl cannot be written: ENOTDIR/);
});

test('a digest leaves out what says nothing, and only that', () => {
  const empty: Message = { role: 'user', content: [] };
  const said = user('x');
  const same: readonly (readonly [Message, Message])[] = [
    [{ ...said, tool_calls: [] }, said],
    [{ ...said, content: [{ ...text('x'), cache_prompt: false }] }, said],
    [empty, { role: 'user' } as Message],
  ];
  for (const [one, other] of same) assert.equal(digestOf(one), digestOf(other));
  const different: readonly (readonly [Message, Message])[] = [
    [{ ...said, content: [{ ...text('x'), cache_prompt: true }] }, said],
    [{ ...said, name: '' } as Message, said],
    [{ ...said, other: false } as Message, said],
    [
      { ...said, content: [text('x'), text('y')] },
      { ...said, content: [text('y'), text('x')] },
    ],
  ];
  for (const [one, other] of different) assert.notEqual(digestOf(one), digestOf(other));
});

test('lines that are no requests are ignored', (t) => {
  const { folder, file } = place(t);
  const line = { at: 'e1', keep: 0, messages: ['d1'], tools: [tool('one')], version: SDK_VERSION };
  const bad = ['', '[]', 'null', '7', { ...line, keep: '0' }, { ...line, messages: 'd1' }, '{"at":'];
  const lines = [
    ...bad,
    line,
    { at: 'e1', keep: 1, messages: ['d2'] },
    { at: 'e2', keep: 1, messages: ['d3'] },
  ];
  const source = lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  writeFileSync(file, source.join('\n'));
  const requests = readRequests(folder);
  assert.deepEqual(requests.behind('e1'), [['d1'], ['d1', 'd2']]);
  assert.deepEqual(requests.behind('e2'), [['d1', 'd3']]);
  assert.deepEqual(requests.behind('e1'), [['d1'], ['d1', 'd2']]);
});

test('a request that repeats or shortens the one before keeps what they share', (t) => {
  const { folder, file } = place(t);
  const tools = [tool('one')];
  const record = new RequestRecord(folder, OPTIONS);
  for (const messages of [[a, b], [a, b], [a], [{ ...a }]]) record.add('e', { messages, tools });
  record.close();
  record.add('late', { messages: [a], tools });
  record.close();
  const lines = readFileSync(file, 'utf8').split('\n');
  assert.deepEqual(
    lines.filter((line) => line !== '').map((line) => JSON.parse(line)),
    [
      { at: 'e', keep: 0, messages: [a, b].map(digestOf), tools, version: SDK_VERSION },
      { at: 'e', keep: 2, messages: [] },
      { at: 'e', keep: 1, messages: [] },
      { at: 'e', keep: 0, messages: [digestOf(a)] },
    ],
  );
  assert.deepEqual(
    lines.map((line) => line === ''),
    [false, false, false, false, true],
  );
});

test('the file is reached through the disk that is given, and closed once', (t) => {
  const { folder, file } = place(t);
  const calls: unknown[][] = [];
  const disk = {
    append: (...args: unknown[]) => calls.push(['append', ...args]),
    write: (descriptor: number, bytes: Buffer) => calls.push(['write', descriptor, bytes.toString()]),
    close: (descriptor: number) => calls.push(['close', descriptor]),
  };
  const record = new RequestRecord(folder, { ...OPTIONS, mask: () => 'masked', disk: disk as never });
  record.close();
  const unused = calls.length;
  const other = new RequestRecord(folder, { ...OPTIONS, mask: () => 'masked', disk: disk as never });
  for (const at of ['e1', 'e2']) other.add(at, { messages: [], tools: [] });
  other.close();
  other.close();
  assert.equal(unused, 0);
  assert.deepEqual(calls, [
    ['append', file, 0o600],
    ['write', 1, 'masked\n'],
    ['write', 1, 'masked\n'],
    ['close', 1],
  ]);
});
