/** MCP servers elsewhere, here on the loopback: streamable HTTP, server-sent events, lost sessions, keys and logins. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { type TriedTools, tryTools } from '@longhand/sdk/testing';
import { type HttpMcp, startHttpMcp } from '../../test-support/mcp-http-server.ts';
import { mcpTools } from './tool.ts';

const EVERYTHING = join(
  import.meta.dirname,
  '../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

async function connect(t: TestContext, servers: object, params: object = {}): Promise<TriedTools> {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-mcp-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tried = await tryTools(mcpTools, { folder, params: { servers, connectMs: 20_000, ...params } });
  t.after(() => tried.close());
  return tried;
}

async function serve(t: TestContext, first?: Parameters<typeof startHttpMcp>[0]): Promise<HttpMcp> {
  const server = await startHttpMcp(first);
  t.after(() => server.close());
  return server;
}

/** server-everything over HTTP, at an address of its own. */
async function everything(t: TestContext, kind: 'sse' | 'streamableHttp'): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  const child = spawn(process.execPath, [EVERYTHING, kind], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      said += String(bytes);
    });
  while (!/running|listening/i.test(said)) {
    assert.equal(child.exitCode, null, said);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return `http://127.0.0.1:${port}`;
}

test('server-everything over streamable HTTP: text and progress', async (t) => {
  const url = await everything(t, 'streamableHttp');
  const it = await connect(t, { everything: { url: `${url}/mcp` } });
  assert.deepEqual(it.warnings, []);
  assert.match((await it.call({ message: 'hi' }, { tool: 'echo' })).said, /Echo: hi/);
  const progress: string[] = [];
  const onProgress = (words: string) => progress.push(words);
  await it.call({ duration: 1, steps: 2 }, { tool: 'trigger-long-running-operation', onProgress });
  assert.equal(progress[0], '1 of 2');
});

test('server-everything over server-sent events, also detected when there is no streamable HTTP', async (t) => {
  const url = await everything(t, 'sse');
  const it = await connect(t, {
    told: { url: `${url}/sse`, transport: 'sse' },
    found: { url: `${url}/sse` },
  });
  assert.deepEqual(it.warnings, []);
  assert.match((await it.call({ message: 'hi' }, { tool: 'told_echo' })).said, /Echo: hi/);
  assert.match((await it.call({ message: 'ho' }, { tool: 'found_echo' })).said, /Echo: ho/);
});

test('a lost session is restarted once; a server that is gone is an error', async (t) => {
  const server = await serve(t);
  const it = await connect(t, { odd: { url: server.url } });
  assert.match((await it.call({}, { tool: 'count' })).said, /\n1$/);
  assert.match((await it.call({}, { tool: 'count' })).said, /\n2$/);
  server.forget();
  assert.match((await it.call({}, { tool: 'count' })).said, /\n1$/, 'run by the new session');
  assert.equal(server.sessions(), 2);
  const crash = await it.call({}, { tool: 'crash' });
  assert.match(crash.said, /was lost during the call/);
  await server.close();
  const gone = await it.call({}, { tool: 'count' });
  assert.deepEqual([gone.isError, /cannot be reconnected/.test(gone.said)], [true, true]);
});

test('list_changed over HTTP', async (t) => {
  const server = await serve(t);
  const it = await connect(t, { odd: { url: server.url } });
  await it.call({}, { tool: 'grow' });
  // The notification comes by a stream of its own.
  for (let i = 0; i < 500 && !it.tools.some(({ name }) => name === 'grown'); i += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  assert.match((await it.call({}, { tool: 'grown' })).said, /no grown/);
});

const AUTHS: readonly (readonly [auth: unknown, header: string, value: string])[] = [
  ['a-token', 'authorization', 'Bearer a-token'],
  [{ strategy: 'bearer', value: 'b' }, 'authorization', 'Bearer b'],
  [{ strategy: 'api_key', value: 'k' }, 'authorization', 'Bearer k'],
  [{ strategy: 'api_key', value: 'k', header_name: 'X-Key' }, 'x-key', 'k'],
  [{ strategy: 'basic', username: 'u', password: '${MCP_TEST_WORD}' }, 'authorization', 'Basic dTpw'],
  [{ strategy: 'header', headers: { 'X-A': '1' } }, 'x-a', '1'],
];

test('a server receives headers and every kind of auth, with placeholders expanded', async (t) => {
  process.env['MCP_TEST_WORD'] = 'p';
  t.after(() => delete process.env['MCP_TEST_WORD']);
  for (const [auth, header, value] of AUTHS) {
    const server = await serve(t);
    const it = await connect(t, { odd: { url: server.url, auth, headers: { 'X-Always': 'yes' } } });
    assert.deepEqual(it.warnings, []);
    assert.ok(server.headers.length > 1);
    for (const headers of server.headers)
      assert.deepEqual([headers[header], headers['x-always']], [value, 'yes']);
    await it.close();
  }
});

test('a server that requires an unconfigured login, refuses, or is missing causes a warning', async (t) => {
  const refusing = (status: number) => (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'text/plain' }).end('no');
    return true;
  };
  const servers = await Promise.all([401, 403, 500].map((status) => serve(t, refusing(status))));
  const [login, forbidden, broken] = servers.map(({ url }) => url);
  const it = await connect(t, {
    login: { url: login },
    forbidden: { url: forbidden },
    broken: { url: broken },
    gone: { url: 'http://127.0.0.1:9/mcp' },
  });
  assert.deepEqual(it.tools, []);
  const of = (name: string) => it.warnings.find((words) => words.includes(`"${name}"`)) ?? '';
  assert.match(
    of('login'),
    /is left out: it requires a login: configure its "auth", for example "auth": "oauth"/,
  );
  assert.match(of('forbidden'), /is left out: .*403|denied|no/);
  assert.match(of('broken'), /is left out: .*(500|no)/);
  assert.match(of('gone'), /is left out: fetch failed \(.*(ECONNREFUSED|bad port)/);
});

/** A minimal authorization server with its protected resource; it admits everybody. */
interface Guard {
  readonly guard: (request: IncomingMessage, response: ServerResponse, origin: string) => Promise<boolean>;
  readonly issued: string[];
  readonly registrations: () => number;
}

function guarded(): Guard {
  const issued: string[] = [];
  let registrations = 0;
  let challenge = '';
  const guard = async (request: IncomingMessage, response: ServerResponse, origin: string) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    const json = (value: object, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      return true;
    };
    if (pathname.startsWith('/.well-known/oauth-protected-resource'))
      return json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (pathname.startsWith('/.well-known/'))
      return json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      });
    if (pathname === '/register') {
      registrations += 1;
      return json({ ...(JSON.parse(await text(request)) as object), client_id: 'client' }, 201);
    }
    if (pathname === '/authorize') {
      challenge = searchParams.get('code_challenge') ?? '';
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', 'the-code');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      response.writeHead(302, { location: back.href }).end();
      return true;
    }
    if (pathname === '/token') {
      const form = new URLSearchParams(await text(request));
      if (form.get('grant_type') === 'authorization_code') {
        const hash = createHash('sha256')
          .update(form.get('code_verifier') ?? '')
          .digest('base64url');
        assert.deepEqual([form.get('code'), hash], ['the-code', challenge]);
      } else assert.equal(form.get('refresh_token'), 'again');
      issued.push(`token-${issued.length + 1}`);
      return json({
        access_token: issued.at(-1),
        token_type: 'Bearer',
        refresh_token: 'again',
        expires_in: 3_600,
      });
    }
    if (request.headers.authorization === `Bearer ${issued.at(-1)}`) return false;
    response
      .writeHead(401, {
        'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
      })
      .end();
    return true;
  };
  return { guard, issued, registrations: () => registrations };
}

test('OAuth: the user gets the login URL; the login is stored for its owner only and refreshed automatically', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'longhand-mcp-home-'));
  const before = process.env['HOME'];
  process.env['HOME'] = home;
  t.after(() => {
    process.env['HOME'] = before;
    rmSync(home, { recursive: true, force: true });
  });
  const { guard, issued, registrations } = guarded();
  const server = await serve(t, guard);
  const servers = { odd: { url: server.url, auth: 'oauth' } };

  // A person with a browser.
  const person = async (warnings: readonly string[]) => {
    for (;;) {
      const [, address = ''] = /open (\S+) in a browser/.exec(warnings.join('\n')) ?? [];
      if (address !== '') {
        // Other requests to the listener are refused.
        const { origin } = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
        assert.equal((await fetch(`${origin}//`)).status, 404);
        return await (await fetch(address)).text();
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const warnings: string[] = [];
  const opened = mcpTools.create(
    {
      workspace: (await connect(t, {})).workspace,
      files: null,
      vision: true,
      onWarning: (words) => warnings.push(words),
      onClose: (close) => t.after(close),
    },
    { servers, loginMs: 20_000 },
  );
  assert.match(await person(warnings), /You can close this page/);
  assert.match(warnings.join('\n'), /which starts with http:\/\/127\.0\.0\.1:\d+\//);
  const tools = await opened;
  assert.ok(
    tools.some(({ name }) => name === 'count'),
    warnings.join('\n'),
  );
  assert.deepEqual([issued, registrations()], [['token-1'], 1]);

  const kept = join(home, '.longhand/mcp-auth');
  const [file = ''] = readdirSync(kept);
  assert.equal(statSync(join(kept, file)).mode & 0o777, 0o600);
  assert.match(readFileSync(join(kept, file), 'utf8'), /token-1/);

  // Nobody has to log in again; a token that has expired is renewed.
  const second = await connect(t, servers);
  assert.deepEqual([second.warnings, issued.length], [[], 1]);
  issued.push('expired-meanwhile');
  assert.match((await second.call({}, { tool: 'count' })).said, /\n1$/);
  assert.deepEqual([registrations(), issued.length], [1, 3]);
});

test('OAuth: when nobody logs in, the server is left out', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'longhand-mcp-home-'));
  const before = process.env['HOME'];
  process.env['HOME'] = home;
  t.after(() => {
    process.env['HOME'] = before;
    rmSync(home, { recursive: true, force: true });
  });
  const server = await serve(t, guarded().guard);
  const it = await connect(t, { odd: { url: server.url, auth: 'oauth' } }, { loginMs: 200 });
  assert.match(it.warnings.at(-1) ?? '', /"odd" is left out: nobody logged in within 0.2 s/);
});
