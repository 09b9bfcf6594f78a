/**
 * Which part may import which. Packages: cli -> tools -> sdk. Rooms of the sdk: a room may import the rooms that stand
 * beneath it; nothing may import in a circle. Tests and `testing` may import anything of their package.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

const ROOMS: { readonly [room: string]: readonly string[] } = {
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
  trajectory: ['event', 'log', 'llm', 'view', 'tool', 'value', 'agent', 'conversation'],
};

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

function directionFault({ from, specifier }: Import): string[] {
  if (/\.test\.ts$|\/testing\//.test(from)) return [];
  const [, name = '', path = ''] = /^packages\/([^/]+)\/src\/(.*)$/.exec(from) ?? [];
  if (specifier.startsWith('@longhand/') || specifier === 'longhand') {
    return PACKAGES[name]?.some((allowed) => specifier === allowed || specifier.startsWith(`${allowed}/`))
      ? []
      : [`${from} must not import ${specifier}`];
  }
  if (name !== 'sdk' || !specifier.startsWith('.') || !path.includes('/')) return [];
  const room = path.split('/')[0] ?? '';
  const target = resolve('/', dirname(path), specifier).split('/')[1] ?? '';
  if (room === target || ROOMS[room]?.includes(target)) return [];
  return [`${from} must not import ${specifier}: ${room} does not stand above ${target}`];
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
