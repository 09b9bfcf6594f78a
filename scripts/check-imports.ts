/**
 * Which part may import which. Packages: cli -> tools -> sdk. Rooms, the folders of a package: a room may import itself, the
 * rooms that its list names, and files that stand in no room. No values are imported in a circle. Tests and `testing` may
 * import anything of their package.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

type Rooms = { readonly [room: string]: readonly string[] };

const SDK: Rooms = {
  value: [],
  event: ['value'],
  log: ['event', 'value'],
  llm: ['event', 'log', 'security', 'value'],
  view: ['event', 'llm', 'value'],
  workspace: ['value'],
  tool: ['event', 'llm', 'workspace', 'value'],
  security: ['event'],
  context: ['event', 'workspace', 'value'],
  agent: ['event', 'llm', 'view', 'tool', 'workspace', 'security', 'context', 'value'],
  conversation: ['event', 'log', 'llm', 'view', 'tool', 'workspace', 'security', 'context', 'agent', 'value'],
  trajectory: ['event', 'log', 'llm', 'view', 'tool', 'value', 'context', 'agent', 'conversation'],
};

/** A tool builds on few others. */
const TOOLS: Rooms = {
  'file-editor': [],
  fetch: [],
  terminal: [],
  'apply-patch': ['file-editor'],
  'edit-file': ['file-editor'],
  gemini: ['file-editor'],
  search: ['file-editor'],
  ipython: ['terminal'],
  browser: ['fetch'],
  mcp: ['browser'],
};

/** The rooms of two large tools: here only values count, since types cross freely. */
const TERMINAL: Rooms = { bash: [], output: [], shell: ['output'], session: ['shell', 'output', 'bash'] };
const BROWSER: Rooms = {
  recording: [],
  pages: [],
  engine: ['pages', 'recording'],
  observed: ['engine', 'pages'],
  'code-tool': ['engine', 'observed', 'pages'],
  'tool-set': ['engine', 'observed', 'pages', 'recording'],
};

const CLI: Rooms = {
  flags: [],
  demo: [],
  view: ['flags'],
  config: ['flags'],
  stored: ['config', 'view'],
  repository: ['config', 'flags'],
  run: ['config', 'flags', 'repository', 'stored', 'view'],
  batch: ['config', 'flags', 'repository', 'view'],
  commands: ['batch', 'config', 'demo', 'flags', 'run', 'stored', 'view'],
};

interface Floor {
  /** The folder whose folders are the rooms. */
  readonly folder: string;
  readonly rooms: Rooms;
  readonly valuesOnly?: boolean;
}

const FLOORS: readonly Floor[] = [
  { folder: 'packages/sdk/src', rooms: SDK },
  { folder: 'packages/tools/src', rooms: TOOLS },
  { folder: 'packages/tools/src/terminal', rooms: TERMINAL, valuesOnly: true },
  { folder: 'packages/tools/src/browser', rooms: BROWSER, valuesOnly: true },
  { folder: 'packages/cli/src', rooms: CLI },
];

const PACKAGES: { readonly [name: string]: readonly string[] } = {
  sdk: [],
  tools: ['@longhand/sdk'],
  cli: ['@longhand/sdk', '@longhand/tools'],
};

interface Import {
  readonly from: string;
  readonly specifier: string;
  readonly typeOnly: boolean;
}

/** What is wrong with the imports of some sources, by path relative to the root; nothing if all is well. */
export function faultsOf(sources: ReadonlyMap<string, string>): string[] {
  const imports = [...sources].flatMap(([path, source]) => importsOf(path, source));
  return [...imports.flatMap(directionFault), ...circles(imports, new Set(sources.keys()))];
}

function importsOf(from: string, source: string): Import[] {
  const statements = source.matchAll(
    /^(?:import|export)\s+(type\s+)?[^;'"]*?from\s+'([^']+)'|import\('([^']+)'\)/gm,
  );
  return [...statements].map(([, type, fixed, lazy]) => ({
    from,
    specifier: fixed ?? lazy ?? '',
    typeOnly: type !== undefined || lazy !== undefined,
  }));
}

function directionFault(statement: Import): string[] {
  const { from, specifier } = statement;
  if (/\.test\.ts$|\/testing\//.test(from)) return [];
  if (/^\..*\.ts$/.test(specifier)) return FLOORS.flatMap((floor) => roomFault(statement, floor));
  if (!specifier.startsWith('@longhand/') && specifier !== 'longhand') return [];
  const [, name = ''] = /^packages\/([^/]+)\//.exec(from) ?? [];
  const isAllowed = PACKAGES[name]?.some(
    (allowed) => specifier === allowed || specifier.startsWith(`${allowed}/`),
  );
  return isAllowed === true ? [] : [`${from} must not import ${specifier}`];
}

function roomFault({ from, specifier, typeOnly }: Import, { folder, rooms, valuesOnly }: Floor): string[] {
  if (valuesOnly === true && typeOnly) return [];
  const room = roomIn(folder, from);
  const target = roomIn(folder, relative('/', resolve('/', dirname(from), specifier)));
  if (room === undefined || target === undefined || room === target) return [];
  const known = rooms[room];
  if (known === undefined) return [`${from}: the room ${room} is not listed in scripts/check-imports.ts`];
  return known.includes(target)
    ? []
    : [`${from} must not import ${specifier}: ${room} does not stand above ${target}`];
}

/** The folder below `folder` that a file is in; undefined if it is elsewhere, or in none. */
function roomIn(folder: string, path: string): string | undefined {
  if (!path.startsWith(`${folder}/`)) return undefined;
  const [room = '', ...rest] = path.slice(folder.length + 1).split('/');
  return rest.length === 0 ? undefined : room;
}

/** Of values only: types are gone when the program runs. */
function circles(imports: readonly Import[], paths: ReadonlySet<string>): string[] {
  const next = new Map<string, string[]>();
  for (const { from, specifier, typeOnly } of imports) {
    if (typeOnly || !specifier.startsWith('.')) continue;
    const to = relative('/', resolve('/', dirname(from), specifier));
    if (paths.has(to)) next.set(from, [...(next.get(from) ?? []), to]);
  }
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path))
      found.push(`a circle: ${[...trail.slice(trail.indexOf(path)), path].join(' -> ')}`);
    if (trail.includes(path) || done.has(path)) return;
    for (const to of next.get(path) ?? []) visit(to, [...trail, path]);
    done.add(path);
  };
  for (const path of next.keys()) visit(path, []);
  return found;
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '..');
  const paths = globSync('packages/*/src/**/*.ts', { cwd: root }).sort();
  const faults = faultsOf(new Map(paths.map((path) => [path, readFileSync(resolve(root, path), 'utf8')])));
  for (const fault of faults) console.error(fault);
  console.log(`${paths.length} files, ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
