/** MCP servers that are programs: real ones, and one that misbehaves. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type TriedTools, tryTools } from '@longhand/sdk/testing';
import { defined } from '@longhand/sdk/value';
import { mcpTools } from './tool.ts';

const MODULES = join(import.meta.dirname, '../../../../node_modules/@modelcontextprotocol');
const ODD = join(import.meta.dirname, '../../test-support/mcp-stdio-server.ts');

interface Place extends TriedTools {
  readonly folder: string;
  readonly kept: string;
}

async function place(
  t: TestContext,
  servers: (folder: string) => object,
  more: { readonly params?: object; readonly vision?: boolean } = {},
): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-mcp-'));
  const kept = join(folder, 'kept');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tried = await tryTools(mcpTools, {
    folder,
    directory: kept,
    params: { servers: servers(folder), connectMs: 20_000, ...more.params },
    ...defined({ vision: more.vision }),
  });
  t.after(() => tried.close());
  return {
    ...tried,
    get tools() {
      return tried.tools;
    },
    folder,
    kept,
  };
}

const node = (...args: string[]) => ({ command: process.execPath, args });
const odd = (...args: string[]) => node(ODD, ...args);
const names = ({ tools }: TriedTools) => tools.map(({ name }) => name);

test('server-everything: tools keep their names; text, an image, structured content, links and progress arrive', async (t) => {
  const it = await place(t, () => ({ everything: node(join(MODULES, 'server-everything/dist/index.js')) }));
  assert.deepEqual(it.warnings, []);
  assert.ok(names(it).includes('echo') && names(it).includes('get-sum'));

  const echo = await it.call({ message: 'hällo' }, { tool: 'echo' });
  assert.deepEqual(echo.observation, {
    content: [
      { cache_prompt: false, type: 'text', text: '[Result of the MCP tool echo:]' },
      { cache_prompt: false, type: 'text', text: 'Echo: hällo' },
    ],
    is_error: false,
    tool_name: 'echo',
    kind: 'MCPToolObservation',
  });
  const wrong = await it.call({ a: 1 }, { tool: 'get-sum' });
  assert.deepEqual([wrong.isError, wrong.observation], [true, undefined]);
  assert.match(wrong.said, /b: is missing/);

  const picture = await it.call({}, { tool: 'get-tiny-image' });
  const [image] = picture.content.flatMap((each) => (each.type === 'image' ? each.image_urls : []));
  assert.match(image ?? '', /^data:image\/png;base64,iVBOR/);
  const weather = await it.call({ location: 'Chicago' }, { tool: 'get-structured-content' });
  assert.match(weather.said, /"temperature":/);
  const links = await it.call({ count: 2 }, { tool: 'get-resource-links' });
  assert.match(links.said, /demo:\/\/resource/);

  const progress: string[] = [];
  const long = await it.call(
    { duration: 1, steps: 2 },
    { tool: 'trigger-long-running-operation', onProgress: (words) => progress.push(words) },
  );
  assert.deepEqual([long.isError, progress[0]], [false, '1 of 2']);
});

test('server-filesystem: reads files, and its refusals are error results', async (t) => {
  const it = await place(t, (folder) => ({
    files: node(join(MODULES, 'server-filesystem/dist/index.js'), folder),
  }));
  writeFileSync(join(it.folder, 'a.txt'), 'content of a');
  const read = await it.call({ path: join(it.folder, 'a.txt') }, { tool: 'read_text_file' });
  assert.match(read.said, /content of a/);
  const refused = await it.call({ path: '/etc/passwd' }, { tool: 'read_text_file' });
  assert.deepEqual([refused.isError, /reports an error/.test(refused.said)], [true, true]);
  assert.match(refused.said, /denied/i);
  const tool = it.tools.find(({ name }) => name === 'read_text_file');
  assert.equal(tool?.annotations.readOnlyHint, true);
});

test('with several servers names are prefixed, and each session keeps its state', async (t) => {
  const it = await place(t, () => ({ one: odd(), 'two 2': odd() }));
  assert.ok(names(it).includes('one_count') && names(it).includes('two_2_count'));
  await it.call({}, { tool: 'one_count' });
  const [second, other] = [
    await it.call({}, { tool: 'one_count' }),
    await it.call({}, { tool: 'two_2_count' }),
  ];
  assert.deepEqual(
    [second.content[1], other.content[1]].map((each) => each?.type === 'text' && each.text),
    ['2', '1'],
  );
});

test('parameters of any name arrive, nulls are dropped, and invalid arguments are reported before the call', async (t) => {
  const it = await place(t, () => ({ odd: odd() }));
  const nested = { list: [{ size: 3 }] };
  const sent = { kind: 'search', data: [1], nested, summary: 's', security_risk: 'LOW' };
  const echo = await it.call({ ...sent, maybe: null }, { tool: 'echo' });
  assert.equal(echo.said, `[Result of the MCP tool echo:]\n${JSON.stringify(sent)}`);
  const extra = await it.call({ more: 1 }, { tool: 'echo' });
  assert.match(extra.said, /more: there is no such parameter/);
  const deep = await it.call({ nested: { list: [{}] } }, { tool: 'echo' });
  assert.match(deep.said, /nested\.list\.0\.size: is missing/);
  const literal = await it.call({ kind: '$5 ${NO} $$' }, { tool: 'echo' });
  assert.match(literal.said, /"\$5 \$\{NO\} \$\$"/);
  const schema = it.tools.find(({ name }) => name === 'echo')?.input as {
    jsonSchema: { [key: string]: unknown };
  };
  assert.deepEqual(schema.jsonSchema['properties'], {
    kind: { type: 'string' },
    data: {},
    summary: { type: 'string' },
    security_risk: { type: 'string' },
    maybe: { type: ['string', 'null'] },
    nested: {
      type: 'object',
      properties: {
        list: {
          type: 'array',
          items: { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] },
        },
      },
    },
  });
});

test('a server that cannot start, exits or does not answer causes a warning with its name and output; the others work', async (t) => {
  const it = await place(t, () => ({
    nowhere: { command: 'longhand-no-such-program' },
    dead: odd('dies'),
    unset: { ...odd(), env: { KEY: '${LONGHAND_NOT_SET}' } },
    hidden: { ...odd(), env: { KEY: '**********' } },
    off: { ...odd(), enabled: false },
    nonsense: { transport: 'stdio' },
    good: odd('noisy'),
  }));
  assert.deepEqual(it.warnings.toSorted(), [
    'the MCP server "dead" is left out: Connection closed (it exited with code 4; it said: no licence for this server)',
    'the MCP server "hidden" is left out: its secrets are not stored with the conversation; pass its configuration again',
    'the MCP server "nonsense": it needs a command or a url: it is left out',
    `the MCP server "nowhere" is left out: longhand-no-such-program cannot be started in ${it.folder}: spawn longhand-no-such-program ENOENT`,
    'the MCP server "unset" is left out: its configuration needs the variable LONGHAND_NOT_SET, which is not set',
  ]);
  assert.equal((await it.call({}, { tool: 'good_count' })).isError, false);

  const slow = await place(t, () => ({ silent: odd('silent') }), { params: { connectMs: 300 } });
  assert.match(slow.warnings.join(), /^the MCP server "silent" is left out: MCP_TIMEOUT: .* within 0.3 s/);
  assert.deepEqual(slow.tools, []);
});

test('when a server crashes, the effect of the call is reported as unknown, and the next call gets a new server', async (t) => {
  const it = await place(t, () => ({ odd: odd() }));
  await it.call({}, { tool: 'count' });
  const crash = await it.call({}, { tool: 'crash' });
  assert.deepEqual(
    [
      crash.isError,
      /was lost during the call .*exited with code 3.*It is unknown whether the call had an effect/.test(
        crash.said,
      ),
    ],
    [true, true],
  );
  assert.match((await it.call({}, { tool: 'count' })).said, /\n1$/);
});

test('a repeatable call is repeated once when its server was lost', async (t) => {
  const it = await place(t, (folder) => ({ odd: { ...odd(), env: { MARK: join(folder, 'mark') } } }));
  assert.match((await it.call({}, { tool: 'crash_once' })).said, /survived/);
});

test('a call that takes too long is an error, progress extends its time, and an interrupt ends it', async (t) => {
  const it = await place(t, () => ({ odd: odd() }), { params: { callMs: 1_500 } });
  const hung = await it.call({}, { tool: 'hang' });
  assert.deepEqual([hung.isError, /did not answer within 1.5 s/.test(hung.said)], [true, true]);
  const progress: string[] = [];
  const worked = await it.call({}, { tool: 'work', onProgress: (words) => progress.push(words) });
  assert.match(worked.said, /worked/);
  assert.equal(progress[0], '1 of 8: going on');

  const patient = await place(t, () => ({ odd: odd() }));
  const stop = new AbortController();
  const waiting = patient.call({}, { tool: 'hang', signal: stop.signal });
  stop.abort();
  assert.match((await waiting).said, /user interrupted this call/);
  assert.match((await patient.call({}, { tool: 'count' })).said, /\n1$/, 'the server is still there');
});

test('list_changed: new tools are added, removed ones disappear, and the others stay the same', async (t) => {
  const it = await place(t, () => ({ odd: odd() }), { params: { filter: 'echo|count|gr|shrink' } });
  const before = it.tools;
  assert.deepEqual(names(it), ['echo', 'count', 'grow', 'shrink']);
  await it.call({}, { tool: 'grow' });
  await it.call({}, { tool: 'count' }); // which waits for what has changed
  assert.deepEqual(names(it), ['echo', 'count', 'grow', 'shrink', 'grown']);
  assert.ok(before.every((tool, i) => tool === it.tools[i]));
  assert.match((await it.call({}, { tool: 'grown' })).said, /no grown/);
  await it.call({}, { tool: 'shrink' });
  await it.call({}, { tool: 'echo' });
  assert.deepEqual(names(it), ['echo', 'grow', 'shrink', 'grown']);
  assert.match((await it.call({}, { tool: 'count' })).said, /There is no tool "count"/);
});

test('long output is clipped and stored in full; secrets of the configuration never reach the model; images are unchanged', async (t) => {
  const it = await place(t, () => ({ odd: { ...odd(), env: { API_TOKEN: 'tok-123456' } } }));
  const flood = await it.call({}, { tool: 'flood' });
  assert.ok(flood.said.length < 31_000);
  const [, path = ''] = /The whole result is in (\S+\.txt)\./.exec(flood.said) ?? [];
  assert.equal(readFileSync(path, 'utf8').length, 200_000);
  const secret = await it.call({}, { tool: 'secret' });
  assert.match(secret.said, /my token is <secret-hidden>/);
  assert.deepEqual(secret.content.at(-1), {
    cache_prompt: false,
    type: 'image',
    image_urls: ['data:image/png;base64,aGVsbG8='],
  });
  const blind = await place(t, () => ({ odd: odd() }), { vision: false });
  const [, kept = ''] =
    /5 bytes of image\/png, stored in (\S+)\)/.exec((await blind.call({}, { tool: 'secret' })).said) ?? [];
  assert.ok(existsSync(kept));
});

test('a server with invalid schemas, pages and results is used as far as possible', async (t) => {
  const it = await place(t, () => ({ liar: odd('lies') }));
  assert.deepEqual(names(it), ['no_schema', 'text_schema', 'broken', 'circle']);
  const of = (words: string) => it.warnings.filter((warning) => warning.includes(words)).length;
  assert.ok(of('"no schema" does not declare its arguments') > 0);
  assert.ok(of('"huge" is left out') > 0 && of('has no name') > 0 && of('two tools called "broken"') > 0);
  assert.match((await it.call({ any: 1 }, { tool: 'no_schema' })).said, /\{"a":1\}/);
  assert.match((await it.call({ a: 1 }, { tool: 'broken' })).said, /is not valid MCP/);
});

test('a server gets only the variables that a program needs and those that are configured', async (t) => {
  process.env['LONGHAND_TEST_API_KEY'] = 'sk-ours';
  t.after(() => delete process.env['LONGHAND_TEST_API_KEY']);
  const it = await place(t, () => ({
    everything: {
      ...node(join(MODULES, 'server-everything/dist/index.js')),
      env: { GIVEN: '${LONGHAND_TEST_API_KEY}-${NO:-default}' },
    },
  }));
  const { said } = await it.call({}, { tool: 'get-env' });
  assert.match(said, /"GIVEN": "sk-ours-default"/);
  assert.doesNotMatch(said, /LONGHAND_TEST_API_KEY/);
  assert.match(said, /"PATH"/);
});

test('the programs always end with the tools', async (t) => {
  const it = await place(t, () => ({ one: odd(), two: odd() }));
  assert.match((await it.call({}, { tool: 'one_count' })).said, /1/);
  await it.close();
  const refused = await it.call({}, { tool: 'one_count' });
  assert.match(refused.said, /The MCP server "one" is closed/);
});
