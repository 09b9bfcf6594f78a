/**
 * Servers of the Model Context Protocol, as configured in `.mcp.json` files and in `base_state.json` (reference: SDK 1.43):
 * a table of servers by name, with or without `mcpServers` around it, or the lists of OpenHands V0. Values may contain
 * `${VAR}` and `${VAR:-default}`, which are expanded when a server is connected.
 */

import { defined } from '../value/defined.ts';
import { isRecord } from '../value/is-record.ts';
import { ownValue } from '../value/own-value.ts';
import { isV0Mcp, serversOfV0, withoutV0 } from './mcp-config-v0.ts';

export interface McpServer {
  readonly transport?: McpTransport;
  /** The program of a local server, which speaks MCP on its pipes. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
  /** The address of a remote server. */
  readonly url?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly auth?: McpAuth;
  readonly description?: string;
  readonly icon?: string;
  /** Limit of one call in seconds; values above 3,600 are milliseconds, as other programs write it. */
  readonly timeout?: number;
  readonly sse_read_timeout?: number;
  readonly keep_alive?: boolean;
  /** Default true. */
  readonly enabled?: boolean;
}

export type McpTransport = 'stdio' | 'http' | 'streamable-http' | 'sse';

export type McpAuth =
  | { readonly strategy: 'none' }
  | { readonly strategy: 'api_key'; readonly value: string; readonly header_name?: string }
  | { readonly strategy: 'bearer'; readonly value: string }
  | { readonly strategy: 'basic'; readonly username: string; readonly password: string }
  | { readonly strategy: 'header'; readonly headers: { readonly [name: string]: string } }
  | {
      readonly strategy: 'oauth2';
      readonly authentication?: { readonly [key: string]: unknown };
      readonly state?: { readonly [key: string]: unknown };
    };

/** MCP servers by name. */
export type McpConfig = { readonly [name: string]: McpServer };

/** Parses a configuration. Throws a TypeError that names server and field. */
export function parseMcpConfig(value: unknown): McpConfig {
  if (!isRecord(value)) throw new TypeError('it must be a table of MCP servers by their names');
  const said = value['mcpServers'] ?? value;
  if (!isRecord(said)) throw new TypeError('mcpServers must be a table of servers by their names');
  const servers = isV0Mcp(said) ? { ...serversOfV0(said), ...withoutV0(said) } : said;
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, parseServer(name, server)]),
  );
}

export function enabledServers(config: McpConfig): McpConfig {
  return Object.fromEntries(Object.entries(config).filter(([, { enabled }]) => enabled !== false));
}

const PLACEHOLDER = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/**
 * Replaces the placeholders anywhere in a value. `replace` gets the name, the default if there is one, and the placeholder
 * itself.
 */
export function expandPlaceholders<T>(
  value: T,
  replace: (name: string, fallback: string | undefined, whole: string) => string,
): T {
  const expanded = (each: unknown): unknown => {
    if (typeof each === 'string')
      return each.replace(PLACEHOLDER, (whole, name: string, fallback: string | undefined) =>
        replace(name, fallback, whole),
      );
    if (Array.isArray(each)) return each.map(expanded);
    if (!isRecord(each)) return each;
    return Object.fromEntries(Object.entries(each).map(([key, part]) => [key, expanded(part)]));
  };
  return expanded(value) as T;
}

/** Replaces the placeholders for the folder of a plugin or skill. */
export function rootedAt(value: unknown, folder: string): unknown {
  return expandPlaceholders(value, (name, _, whole) => (ROOTS.includes(name) ? folder : whole));
}

const ROOTS = ['SKILL_ROOT', 'PLUGIN_ROOT', 'CLAUDE_PLUGIN_ROOT'];

const TEXTS = ['command', 'cwd', 'url', 'description', 'icon'];
const NUMBERS = ['timeout', 'sse_read_timeout'];
const FLAGS = ['keep_alive', 'enabled'];
const TABLES = ['env', 'headers'];
const TRANSPORTS: { readonly [name: string]: McpTransport } = {
  stdio: 'stdio',
  http: 'http',
  shttp: 'http',
  'streamable-http': 'streamable-http',
  sse: 'sse',
};

/** Ignores unknown keys, which other programs may use. */
function parseServer(name: string, json: unknown): McpServer {
  const wrong = (what: string): never => {
    throw new TypeError(`the MCP server "${name}": ${what}`);
  };
  if (!isRecord(json)) return wrong('it must be a table with a command or a url');
  const fields = Object.entries(json).flatMap(([key, value]): [string, unknown][] => {
    if (value === null) return [];
    if (TEXTS.includes(key)) return [[key, isText(value) ? value : wrong(`${key} must be a text`)]];
    if (NUMBERS.includes(key))
      return [[key, isPositive(value) ? value : wrong(`${key} must be a number above 0`)]];
    if (FLAGS.includes(key))
      return [[key, typeof value === 'boolean' ? value : wrong(`${key} must be true or false`)]];
    if (TABLES.includes(key)) return [[key, textsOf(value) ?? wrong(`${key} must be a table of texts`)]];
    if (key === 'args') return [[key, listOf(value) ?? wrong('args must be a list of texts')]];
    if (key === 'disabled') return value === true ? [['enabled', false]] : [];
    if (key === 'auth') return [[key, parseAuth(value, wrong)]];
    return [];
  });
  const said = json['transport'] ?? json['type'];
  const transport = typeof said === 'string' ? ownValue(TRANSPORTS, said) : undefined;
  if (said !== undefined && said !== null && transport === undefined)
    wrong(`transport must be one of ${Object.keys(TRANSPORTS).join(', ')}`);
  const server: McpServer = {
    ...defined({ transport }),
    ...Object.fromEntries(fields),
  };
  const { command, url, auth, headers = {} } = server;
  if (command === undefined && url === undefined) wrong('it needs a command or a url');
  if (command !== undefined && url !== undefined)
    wrong('it has both a command and a url; remove one of them');
  if (transport === 'stdio' && command === undefined) wrong('transport stdio needs a command');
  if (transport !== undefined && transport !== 'stdio' && url === undefined)
    wrong(`transport ${transport} needs a url`);
  if (url !== undefined && !url.includes('${') && !isHttp(url)) wrong('url must be an http or https address');
  if (auth !== undefined && auth.strategy !== 'none') {
    const isGiven = Object.keys(headers).some((header) => header.toLowerCase() === 'authorization');
    if (isGiven) wrong('auth and a header Authorization exclude each other');
    if (url === undefined) wrong('auth is for servers with a url');
  }
  return server;
}

const AUTH_FIELDS: {
  readonly [strategy: string]: readonly [required: readonly string[], optional: readonly string[]];
} = {
  none: [[], []],
  api_key: [['value'], ['header_name']],
  bearer: [['value'], []],
  basic: [['username', 'password'], []],
  header: [['headers'], []],
  oauth2: [[], ['authentication', 'state']],
};
const TABLE_FIELDS = ['headers', 'authentication', 'state'];

/** A plain text is a token, except `oauth`. */
function parseAuth(value: unknown, wrong: (what: string) => never): McpAuth {
  if (value === 'oauth') return { strategy: 'oauth2' };
  if (isText(value)) return { strategy: 'bearer', value };
  if (!isRecord(value)) return wrong('auth must be "oauth", a token, or a table with a strategy');
  const { strategy: said, type, ...fields } = value;
  const named = said ?? type;
  const strategy = named === 'oauth' ? 'oauth2' : named;
  const known = typeof strategy === 'string' && Object.hasOwn(AUTH_FIELDS, strategy);
  const [required = [], optional = []] = known ? (AUTH_FIELDS[strategy] ?? []) : [];
  if (!known) wrong(`auth.strategy must be one of ${Object.keys(AUTH_FIELDS).join(', ')}`);
  for (const key of required) if (fields[key] === undefined) wrong(`auth.${key} is missing`);
  for (const [key, field] of Object.entries(fields)) {
    if (!required.includes(key) && !optional.includes(key))
      wrong(`auth.${key} is not a field of ${strategy}`);
    if (key === 'headers' && textsOf(field) === undefined) wrong('auth.headers must be a table of texts');
    if (TABLE_FIELDS.includes(key) ? !isRecord(field) : !isText(field))
      wrong(`auth.${key} must be a ${TABLE_FIELDS.includes(key) ? 'table' : 'text'}`);
  }
  return { strategy, ...fields } as McpAuth;
}

export const REDACTED = '**********';
const SCHEME = /^(?:bearer|basic|token)?\s*$/i;

/** The configuration as it is stored: values that may be secret are hidden, placeholders are kept. */
export function redactMcpConfig(config: McpConfig): McpConfig {
  return Object.fromEntries(
    Object.entries(config).map(([name, { env, headers, auth, ...server }]) => [
      name,
      {
        ...server,
        ...defined({
          env: env && redactedTable(env),
          headers: headers && redactedTable(headers),
          auth: auth && redactedAuth(auth),
        }),
      },
    ]),
  );
}

function redactedAuth(auth: McpAuth): McpAuth {
  switch (auth.strategy) {
    case 'none':
      return auth;
    case 'api_key':
    case 'bearer':
      return { ...auth, value: redacted(auth.value) };
    case 'basic':
      return { ...auth, password: redacted(auth.password) };
    case 'header':
      return { ...auth, headers: redactedTable(auth.headers) };
    case 'oauth2': {
      const { client_secret: secret, ...rest } = auth.authentication ?? {};
      if (auth.authentication === undefined) return { strategy: 'oauth2' };
      const hidden = typeof secret === 'string' ? { client_secret: redacted(secret) } : {};
      return { strategy: 'oauth2', authentication: { ...rest, ...hidden } };
    }
  }
}

function redactedTable(table: { readonly [name: string]: string }): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, redacted(value)]));
}

/** A default could be the secret itself. */
function redacted(value: string): string {
  const hasDefault = /\$\{\w+:-[^}]+\}/.test(value);
  return !hasDefault && value.includes('${') && SCHEME.test(value.replace(PLACEHOLDER, ''))
    ? value
    : REDACTED;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && value > 0;
}

/** Numbers and truth values are taken for what they look like. */
function asText(value: unknown): string | undefined {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

function textsOf(value: unknown): { [name: string]: string } | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).map(([name, each]) => [name, asText(each)] as const);
  return entries.some(([, each]) => each === undefined)
    ? undefined
    : (Object.fromEntries(entries) as { [name: string]: string });
}

function listOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.map(asText);
  return texts.includes(undefined) ? undefined : (texts as string[]);
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
