/**
 * MCP servers in the format of OpenHands V0's `[mcp]`: `stdio_servers` with names, `sse_servers` and `shttp_servers` with
 * addresses. Its settings and the front matter of microagents use it.
 */

import { defined } from '../value/defined.ts';
import { isRecord } from '../value/is-record.ts';

type Table = { readonly [key: string]: unknown };

const LISTS: { readonly [list: string]: string } = {
  stdio_servers: 'stdio',
  sse_servers: 'sse',
  shttp_servers: 'http',
};
const NAME = /^[\w-]+$/;
const MAX_SECONDS = 3_600;

export function isV0Mcp(table: Table): boolean {
  return Object.keys(LISTS).some((list) => Array.isArray(table[list]));
}

export function withoutV0(table: Table): Table {
  return Object.fromEntries(Object.entries(table).filter(([key]) => !Object.hasOwn(LISTS, key)));
}

/** Servers by name; a remote server is named after its host. Throws a TypeError that names list and field. */
export function serversOfV0(table: Table): Table {
  const servers = new Map<string, Table>();
  const addresses = new Set<unknown>();
  for (const [list, transport] of Object.entries(LISTS)) {
    const entries = table[list] ?? [];
    if (!Array.isArray(entries)) throw new TypeError(`${list} must be a list`);
    for (const entry of entries) {
      const said: unknown = typeof entry === 'string' ? { url: entry } : entry;
      if (!isRecord(said)) throw new TypeError(`${list}: each entry must be a table`);
      const name = transport === 'stdio' ? nameOf(said, list) : freeName(hostOf(said, list), servers);
      if (servers.has(name)) throw new TypeError(`${list}: two servers are called "${name}"`);
      if (transport !== 'stdio' && addresses.has(said['url']))
        throw new TypeError(`${list}: the address ${said['url']} is given twice`);
      addresses.add(said['url']);
      servers.set(name, transport === 'stdio' ? programOf(said) : remoteOf(said, transport, list));
    }
  }
  return Object.fromEntries(servers);
}

function nameOf({ name }: Table, list: string): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw new TypeError(`${list}: each entry needs a name of letters, digits, _ and -`);
}

function hostOf({ url }: Table, list: string): string {
  if (typeof url === 'string' && URL.canParse(url)) return new URL(url).hostname.replace(/[^\w-]+/g, '_');
  throw new TypeError(`${list}: each entry needs a url`);
}

function freeName(wanted: string, servers: ReadonlyMap<string, unknown>): string {
  for (let i = 2, name = wanted; ; i += 1) {
    if (!servers.has(name)) return name;
    name = `${wanted}_${i}`;
  }
}

/** Arguments may be one text, split as by a shell; variables may be one text `A=1,B=2`. */
function programOf({ command, args, env }: Table): Table {
  return {
    transport: 'stdio',
    command,
    ...defined({
      args: typeof args === 'string' ? wordsOf(args) : args,
      env: typeof env === 'string' ? variablesOf(env) : env,
    }),
  };
}

function remoteOf({ url, api_key: key, timeout }: Table, transport: string, list: string): Table {
  if (typeof timeout === 'number' && (timeout < 1 || timeout > MAX_SECONDS))
    throw new TypeError(`${list}: timeout must be 1 to ${MAX_SECONDS} seconds`);
  return {
    transport,
    url,
    ...(typeof key === 'string' && key !== '' ? { auth: { strategy: 'api_key', value: key } } : {}),
    ...defined({ timeout }),
  };
}

function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/g)].map(([word]) =>
    word.replace(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g,
      (_, double?: string, single?: string, escaped?: string) =>
        double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? '',
    ),
  );
}

function variablesOf(list: string): Table {
  const pairs = list.split(',').flatMap((pair): [string, string][] => {
    const [name = '', ...value] = pair.split('=');
    return name.trim() === '' ? [] : [[name.trim(), value.join('=').trim()]];
  });
  return Object.fromEntries(pairs);
}
