/** MCP servers of the command line: where they come from, which of them are started, and how it all reads afterwards. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { type ModelServer, type Reply, startModelServer } from '@longhand/sdk/testing';
import { bundle } from '../../../scripts/bundle.ts';
import { makePlace, type Place, type Result } from '../test-support/command.ts';

const MODULES = join(import.meta.dirname, '../../../node_modules/@modelcontextprotocol');
const FILES = join(MODULES, 'server-filesystem/dist/index.js');
const ODD = join(import.meta.dirname, '../../tools/test-support/mcp-stdio-server.ts');

const call = (name: string, args: object = {}): Reply => ({ toolCalls: [{ name, arguments: args }] });
const done = call('finish', { message: 'done' });
const program = (...args: string[]) => ({ command: process.execPath, args });

interface Scene {
  readonly place: Place;
  readonly server: ModelServer;
  /** `base` is the home or the folder that is worked in. */
  readonly write: (base: string, path: string, content: string | object) => void;
  readonly run: (...args: readonly string[]) => Promise<Result>;
  /** The tools of servers in the last request to the model. */
  readonly offered: () => readonly string[];
}

async function scene(t: TestContext, replies: readonly Reply[] = []): Promise<Scene> {
  const place = makePlace(t);
  const server = await startModelServer((_, index) => replies[index] ?? done);
  t.after(() => server.close());
  return {
    place,
    server,
    write: (base, path, content) => {
      mkdirSync(dirname(join(base, path)), { recursive: true });
      writeFileSync(join(base, path), typeof content === 'string' ? content : JSON.stringify(content));
    },
    run: (...args) => place.longhand([...args, '--model', 'x', '--base-url', `${server.url}/v1`]),
    offered: () =>
      (server.requests.at(-1)!.body['tools'] as { function: { name: string } }[])
        .map((tool) => tool.function.name)
        .filter((name) => /count$/.test(name)),
  };
}

test('--mcp FILE: the agent calls a tool of a server; show, --resume, replay and the messages of a request know it', async (t) => {
  const text = call('files_read_text_file', { path: 'notes.txt', summary: 'Reads the notes' });
  const { place, server, write, run } = await scene(t, [text, done, text, done]);
  write(place.work, 'notes.txt', 'the word is heron\n');
  write(place.work, 'servers.json', {
    mcpServers: {
      files: { ...program(FILES, '.'), env: { TOKEN: 'tok-123456' } },
      nowhere: { command: 'no-such' },
    },
  });
  const first = await run('-t', 'read it', '--mcp', 'servers.json');
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stderr, /warning: the MCP server "nowhere" is left out: no-such cannot be started/i);
  assert.match(JSON.stringify(server.requests[1]?.body['messages']), /the word is heron/);

  const folder = join(place.home, '.longhand/conversations');
  const [id = ''] = readdirSync(folder);
  const shown = await place.longhand(['show', id]);
  assert.match(shown.stdout, /files_read_text_file \{"path": "notes\.txt", "summary": "Reads the notes"\}/);
  assert.match(shown.stdout, /\[Result of the MCP tool files_read_text_file:\]\n +the word is heron/);
  const state = readFileSync(join(folder, id, 'base_state.json'), 'utf8');
  assert.match(state, /"mcp_config":\{"files":/);
  assert.doesNotMatch(state, /tok-123456/);

  const replayed = await place.longhand(['replay', id, '--strict']);
  assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);

  // The secret is not stored: without it the server is not started, and a warning says so.
  const without = await run('--resume', id, '-t', 'again');
  assert.match(without.stderr, /"files" is left out: its secrets are not stored with the conversation/);
  const again = await run('--resume', id, '-t', 'again', '--mcp', 'servers.json');
  assert.equal(again.code, 0);
});

test('what the messages of a request were is known although the servers are not there any more', async (t) => {
  const inText = { text: '<function=count>\n</function>' };
  const { place, server, write } = await scene(t, [
    inText,
    { text: '<function=finish>\n<parameter=message>done</parameter>\n</function>' },
  ]);
  write(place.work, 'servers.json', { odd: program(ODD) });
  const { code } = await place.longhand(
    ['--quiet', '-t', 'go', '--mcp', 'servers.json', '--model', 'x', '--base-url', `${server.url}/v1`],
    { env: { LLM_NATIVE_TOOL_CALLING: 'false' } },
  );
  assert.equal(code, 0);
  const [id = ''] = readdirSync(join(place.home, '.longhand/conversations'));
  const { stdout } = await place.longhand(['show', id, '--json']);
  const at = stdout.split('\n').findIndex((line) => line.includes('"kind":"ActionEvent"'));
  const shown = await place.longhand(['show', id, '--at', String(at - 1), '--messages', '--json']);
  assert.match(shown.stdout, /count/);
  assert.ok(server.requests[0]?.text.includes(`"messages":[${shown.stdout.trim().split('\n').join(',')}]`));
});

test('servers of the home and of config.toml are started, the lists of V0 too; what a folder brings is not, unless it is named', async (t) => {
  const { place, write, run, offered } = await scene(t);
  const { home, work } = place;
  write(home, '.longhand/mcp.json', { home: program(ODD) });
  const toml = (name: string) =>
    `[mcp]\nstdio_servers = [{ name = "${name}", command = "${process.execPath}", args = ["${ODD}"] }]\n`;
  write(work, 'own.toml', toml('v0'));
  await run('--quiet', '-t', 'x', '--config', 'own.toml');
  assert.deepEqual(offered(), ['home_count', 'v0_count']);

  write(work, 'config.toml', toml('foreign'));
  write(work, '.mcp.json', { foreign: program(ODD) });
  write(work, '.agents/skills/db/SKILL.md', '---\nname: db\ndescription: x\n---\nx');
  write(work, '.agents/skills/db/.mcp.json', { db: program('${SKILL_ROOT}/server.ts') });
  const careful = await run('--quiet', '-t', 'x');
  assert.deepEqual(offered(), ['count'], 'that of the home alone');
  assert.match(
    careful.stderr,
    /the MCP servers of this folder are not started: longhand trust agrees to them for all runs, --mcp \.mcp\.json for one/,
  );
  assert.match(
    careful.stderr,
    /\.\/config\.toml:1: its MCP servers are not started: --config \.\/config\.toml starts them/,
  );
  assert.match(
    careful.stderr,
    /servers of the skill .*db\/SKILL\.md are not started \(db\): they belong to the project/,
  );

  write(
    work,
    '.agents/skills/db/server.ts',
    readFileSync(ODD, 'utf8').replaceAll("'./odd", `'${dirname(ODD)}/odd`),
  );
  const trusting = await run('--quiet', '-t', 'x', '--mcp', '.mcp.json', '--config', './config.toml');
  assert.deepEqual([trusting.code, offered()], [0, ['home_count', 'foreign_count']]);
  assert.doesNotMatch(trusting.stderr, /of this folder/);
});

test('a skill of the user and a plugin bring servers that really connect', async (t) => {
  const { place, write, run, offered } = await scene(t, [call('counter_count'), call('kit_count'), done]);
  const { home } = place;
  const head = `mcp_tools:\n  counter:\n    command: ${process.execPath}\n    args: ["${ODD}"]\n`;
  write(home, '.agents/skills/counting.md', `---\n${head}---\nCount with the counter.`);
  write(home, 'kit/.claude-plugin/plugin.json', { name: 'kit' });
  write(home, 'kit/start.mjs', `await import(${JSON.stringify(ODD)});\n`);
  write(home, 'kit/.mcp.json', { mcpServers: { kit: program('${CLAUDE_PLUGIN_ROOT}/start.mjs') } });
  const { code, stderr, stdout } = await run('-t', 'x', '--plugin', join(home, 'kit'));
  assert.deepEqual([code, stderr], [0, '']);
  assert.deepEqual(offered().toSorted(), ['counter_count', 'kit_count']);
  assert.equal([...stdout.matchAll(/\[Result of the MCP tool \w+_count:\]\n +1\n/g)].length, 2);
});

test('a file of servers that cannot be used is named, with what is wrong in it', async (t) => {
  const { place, write, run } = await scene(t);
  write(place.work, 'bad.json', { files: { command: 'x', url: 'https://x.invalid' } });
  write(place.work, 'worse.json', '{"a": ');
  write(place.work, 'bad.toml', '[mcp.files]\ntransport = "pigeon"\ncommand = "x"\n');
  const cases: readonly (readonly [args: readonly string[], why: RegExp])[] = [
    [
      ['--mcp', 'bad.json'],
      /in bad\.json cannot be used: the MCP server "files": it has both a command and a url/,
    ],
    [['--mcp', 'worse.json'], /in worse\.json cannot be used: .*JSON/],
    [['--mcp', 'none.json'], /in none\.json cannot be used: there is no such file/],
    [['--config', 'bad.toml'], /bad\.toml.*\[mcp\] the MCP server "files": transport must be one of/],
  ];
  for (const [args, why] of cases) {
    const { code, stderr } = await run('-t', 'x', ...args);
    assert.deepEqual([code, why.test(stderr)], [2, true], stderr);
  }
});

test('the bundled command starts servers and speaks with them too', async (t) => {
  const { place, server, write } = await scene(t, [call('count'), done]);
  await bundle(join(place.home, 'bundle'));
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(place.home, 'bundle/node_modules'));
  write(place.work, 'servers.json', { odd: program(ODD) });
  const command = promisify(execFile)(
    process.execPath,
    [
      join(place.home, 'bundle/longhand.js'),
      ...['-t', 'x', '--mcp', 'servers.json', '--model', 'x', '--base-url', `${server.url}/v1`],
    ],
    { cwd: place.work, env: place.env },
  );
  command.child.stdin?.end();
  const { stdout, stderr } = await command;
  assert.equal(stderr, '');
  assert.match(stdout, /\[Result of the MCP tool count:\]\n +1\n/);
});

test('servers of a folder are started once the user has agreed to its file, until the file changes', async (t) => {
  const { place, write, run, offered } = await scene(t);
  write(place.work, '.mcp.json', { odd: program(ODD) });
  const agreed = await place.longhand(['trust']);
  assert.equal(agreed.code, 0, agreed.stderr);
  assert.match(
    agreed.stdout,
    /^odd: .*mcp-stdio-server\.ts\nruns in this folder start the MCP servers of .*\.mcp\.json\n$/,
  );
  const started = await run('--quiet', '-t', 'x');
  assert.deepEqual([started.stderr, offered()], ['', ['count']]);

  write(place.work, '.mcp.json', { odd: program(ODD), more: program('evil.js') });
  const changed = await run('--quiet', '-t', 'x');
  assert.match(
    changed.stderr,
    /not started, because their file has changed since you agreed: longhand trust agrees/,
  );
  assert.deepEqual(offered(), []);

  write(place.work, '.mcp.json', { odd: program(ODD) });
  assert.match((await place.longhand(['trust', '--revoke'])).stdout, /no longer trusted/);
  assert.match((await run('--quiet', '-t', 'x')).stderr, /are not started: longhand trust agrees to them/);
  assert.match((await place.longhand(['trust', '--revoke'])).stdout, /was not trusted/);
  write(place.work, 'other/x', '');
  const none = await place.longhand(['trust', '-d', 'other']);
  assert.deepEqual([none.code, /there is no .*other\/\.mcp\.json/.test(none.stderr)], [2, true]);
});
