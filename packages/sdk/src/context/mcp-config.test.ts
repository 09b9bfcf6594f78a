import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  enabledServers,
  expandPlaceholders,
  type McpServer,
  parseMcpConfig,
  REDACTED,
  redactMcpConfig,
  rootedAt,
} from './mcp-config.ts';

test('servers by name, with or without mcpServers around them; other spellings and unknown keys', () => {
  const config = {
    files: {
      command: 'npx',
      args: ['-y', 'server', 3],
      env: { PORT: 80, ON: true },
      type: 'stdio',
      tools: ['*'],
    },
    web: { type: 'shttp', url: 'https://x.invalid/mcp', headers: { A: 'b' }, auth: 'oauth', timeout: 5 },
    off: { url: '${MCP_URL}', disabled: true, cwd: null },
  };
  const expected = {
    files: {
      transport: 'stdio',
      command: 'npx',
      args: ['-y', 'server', '3'],
      env: { PORT: '80', ON: 'true' },
    },
    web: {
      transport: 'http',
      url: 'https://x.invalid/mcp',
      headers: { A: 'b' },
      auth: { strategy: 'oauth2' },
      timeout: 5,
    },
    off: { url: '${MCP_URL}', enabled: false },
  };
  assert.deepEqual(parseMcpConfig(config), expected);
  assert.deepEqual(parseMcpConfig({ mcpServers: config }), expected);
  assert.deepEqual(Object.keys(enabledServers(expected as never)), ['files', 'web']);
});

const WRONG: readonly (readonly [server: unknown, why: RegExp])[] = [
  [7, /must be a table with a command or a url/],
  [{}, /needs a command or a url/],
  [{ command: 'a', url: 'https://x.invalid' }, /remove one of them/],
  [{ transport: 'stdio', url: 'https://x.invalid' }, /stdio needs a command/],
  [{ transport: 'sse', command: 'a' }, /sse needs a url/],
  [{ transport: 'pigeon', command: 'a' }, /transport must be one of stdio, http/],
  [{ url: 'ftp://x.invalid' }, /url must be an http or https address/],
  [{ command: 'a', args: 'b' }, /args must be a list/],
  [{ command: 'a', env: ['A=1'] }, /env must be a table of texts/],
  [{ command: 'a', timeout: 0 }, /timeout must be a number above 0/],
  [{ command: 'a', enabled: 'yes' }, /enabled must be true or false/],
  [{ url: 'https://x.invalid', auth: { strategy: 'magic' } }, /auth\.strategy must be one of none, api_key/],
  [{ url: 'https://x.invalid', auth: { strategy: 'bearer' } }, /auth\.value is missing/],
  [{ url: 'https://x.invalid', auth: { strategy: 'bearer', value: 'a', b: 1 } }, /auth\.b is not a field/],
  [{ url: 'https://x.invalid', auth: 't', headers: { authorization: 'x' } }, /exclude each other/],
  [{ command: 'a', auth: 't' }, /auth is for servers with a url/],
];

test('a fault is reported with the names of server and field', () => {
  for (const [server, why] of WRONG)
    assert.throws(
      () => parseMcpConfig({ bad: server }),
      (error: Error) =>
        error instanceof TypeError &&
        /^the MCP server "bad": /.test(error.message) &&
        why.test(error.message),
    );
  assert.throws(() => parseMcpConfig([]), /table of MCP servers/);
});

test("V0's lists, with their own spelling of arguments and variables", () => {
  assert.deepEqual(
    parseMcpConfig({
      stdio_servers: [
        {
          name: 'fetch',
          command: 'uvx',
          args: 'mcp-server-fetch --ua "My Agent" \'a b\' c\\ d',
          env: 'A=1, B=x=y',
        },
      ],
      sse_servers: ['https://a.example.invalid/sse', { url: 'https://a.example.invalid/two', api_key: 'k' }],
      shttp_servers: [{ url: 'https://b.invalid/mcp', timeout: 90, api_key: null }],
      named: { command: 'x' },
    }),
    {
      fetch: {
        transport: 'stdio',
        command: 'uvx',
        args: ['mcp-server-fetch', '--ua', 'My Agent', 'a b', 'c d'],
        env: { A: '1', B: 'x=y' },
      },
      a_example_invalid: { transport: 'sse', url: 'https://a.example.invalid/sse' },
      a_example_invalid_2: {
        transport: 'sse',
        url: 'https://a.example.invalid/two',
        auth: { strategy: 'api_key', value: 'k' },
      },
      b_invalid: { transport: 'http', url: 'https://b.invalid/mcp', timeout: 90 },
      named: { command: 'x' },
    },
  );
  const twice = { sse_servers: ['https://a.invalid'], shttp_servers: ['https://a.invalid'] };
  assert.throws(
    () => parseMcpConfig(twice),
    /shttp_servers: the address https:\/\/a\.invalid is given twice/,
  );
  assert.throws(() => parseMcpConfig({ stdio_servers: [{ name: 'a b', command: 'x' }] }), /needs a name/);
  assert.throws(
    () => parseMcpConfig({ shttp_servers: [{ url: 'https://a.invalid', timeout: 7_200 }] }),
    /1 to 3600/,
  );
  assert.throws(() => parseMcpConfig({ stdio_servers: 3, sse_servers: [] }), /stdio_servers must be a list/);
});

test('placeholders for variables and for the folder of a plugin', () => {
  const values: { [name: string]: string } = { A: '1' };
  const expand = (value: unknown) =>
    expandPlaceholders(value, (name, fallback, whole) => values[name] ?? fallback ?? whole);
  assert.deepEqual(expand({ a: ['${A}-${B:-two}', 3], b: { c: '${B} $A $5 ${}' } }), {
    a: ['1-two', 3],
    b: { c: '${B} $A $5 ${}' },
  });
  assert.deepEqual(rootedAt({ args: ['${CLAUDE_PLUGIN_ROOT}/a.js', '${TOKEN}'] }, '/p'), {
    args: ['/p/a.js', '${TOKEN}'],
  });
});

test('property: secrets are not stored, placeholders without a default are', () => {
  const secret = fc.stringMatching(/^[a-z0-9]{12}$/);
  fc.assert(
    fc.property(
      secret,
      fc.constantFrom('env', 'headers', 'bearer', 'basic', 'header', 'oauth2', 'default'),
      (word, where) => {
        const servers: { [where: string]: McpServer } = {
          env: { command: 'a', env: { TOKEN: word } },
          headers: { url: 'https://x.invalid', headers: { Authorization: `Bearer ${word}` } },
          bearer: { url: 'https://x.invalid', auth: { strategy: 'bearer', value: word } },
          basic: { url: 'https://x.invalid', auth: { strategy: 'basic', username: 'u', password: word } },
          header: { url: 'https://x.invalid', auth: { strategy: 'header', headers: { X: word } } },
          oauth2: {
            url: 'https://x.invalid',
            auth: { strategy: 'oauth2', authentication: { client_secret: word }, state: { tokens: word } },
          },
          default: { command: 'a', env: { TOKEN: `\${TOKEN:-${word}}` } },
        };
        const server = servers[where] as McpServer;
        assert.ok(JSON.stringify(server).includes(word));
        assert.ok(!JSON.stringify(redactMcpConfig({ server })).includes(word));
      },
    ),
  );
  const kept: McpServer = { url: 'https://x.invalid', headers: { Authorization: 'Bearer ${TOKEN}', X: 'y' } };
  assert.deepEqual(redactMcpConfig({ kept }), {
    kept: { ...kept, headers: { Authorization: 'Bearer ${TOKEN}', X: REDACTED } },
  });
});

test('inherited property names are ordinary server names, and not transports', () => {
  for (const name of ['constructor', '__proto__']) {
    const server = JSON.parse(`{"stdio_servers": [], "${name}": {"command": "a"}}`) as unknown;
    assert.deepEqual(Object.entries(parseMcpConfig(server)), [[name, { command: 'a' }]]);
    assert.throws(
      () => parseMcpConfig({ a: { transport: name, url: 'https://x.invalid' } }),
      /the MCP server "a": transport must be one of/,
    );
  }
  assert.throws(
    () => parseMcpConfig({ sse_servers: [null] }),
    /^TypeError: sse_servers: each entry must be a table$/,
  );
});
