/**
 * esbuild splits code by which lazily loaded modules share it, so that a run loads some sixty files; Node takes half a
 * millisecond for each. This merges what is always loaded together into one file (`core-0.js`, `core-1.js`, ...). Other files
 * then import from it, and those of its files that are loaded lazily become stubs that export its names.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

type Outputs = Metafile['outputs'];

/** Where the names of a merged file are: two files may export the same name. */
interface Merged {
  readonly core: string;
  readonly names: readonly string[];
  rename(name: string): string;
}

/**
 * Each group is a list of source files, as the metafile names them, and stands for all that they import at once and that no
 * group before it holds. Throws if one of them is not loaded lazily.
 */
export async function mergeChunks(
  folder: string,
  { outputs }: Metafile,
  groups: readonly (readonly string[])[],
  options: BuildOptions,
): Promise<void> {
  const merged = new Map<string, Merged>();
  for (const [i, entries] of groups.entries()) {
    const files = closureOf(outputs, entries).filter((file) => !merged.has(file));
    for (const file of files) {
      const prefix = `m${merged.size}_`;
      const names = outputOf(outputs, file).exports;
      merged.set(file, { core: `core-${i}.js`, names, rename: (name) => prefix + name });
    }
    const contents = files.map((file) => everyName(file, merged.get(file)));
    await build({
      ...options,
      stdin: { contents: contents.join('\n'), resolveDir: folder },
      outfile: join(folder, `core-${i}.js`),
      // Tools that guess the format of a file, such as publint, find no import or export at the start of a statement otherwise.
      banner: { js: 'export {};' },
      bundle: true,
      treeShaking: false,
      plugins: [onlyMerged(folder, merged, `core-${i}.js`)],
    });
  }
  for (const path of Object.keys(outputs)) settle(folder, basename(path), outputs, merged);
}

function outputOf(outputs: Outputs, file: string): Outputs[string] {
  const found = Object.entries(outputs).find(([path]) => basename(path) === file);
  if (found === undefined) throw new Error(`esbuild wrote no ${file}`);
  return found[1];
}

/** The files of these modules, with all that they import at once. */
function closureOf(outputs: Outputs, entries: readonly string[]): string[] {
  const found = new Set<string>();
  for (const entry of entries) {
    const [path] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry) ?? [];
    if (path === undefined) throw new Error(`${entry} is not loaded lazily: see ALWAYS in scripts/bundle.ts`);
    found.add(path);
  }
  // A set that grows while it is iterated yields what was added.
  for (const path of found)
    for (const { path: next, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && next in outputs) found.add(next);
  return [...found].map((path) => basename(path));
}

/** Takes in the files of one core; names of an earlier core are imported from there, and all else stays outside. */
function onlyMerged(folder: string, merged: ReadonlyMap<string, Merged>, core: string): Plugin {
  return {
    name: 'only-merged',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /.*/ }, ({ path, kind }) => {
        const file = merged.get(basename(path));
        if (kind !== 'import-statement' || file === undefined) return { path, external: true };
        if (file.core === core) return { path: join(folder, basename(path)) };
        return { path: basename(path), namespace: 'earlier' };
      });
      onLoad({ filter: /.*/, namespace: 'earlier' }, ({ path }) => ({ contents: stub(merged.get(path)) }));
    },
  };
}

function everyName(file: string, entry: Merged | undefined): string {
  const names = entry?.names.map((name) => `${name} as ${entry.rename(name)}`) ?? [];
  return `export{${names.join(',')}}from${JSON.stringify(`./${file}`)};`;
}

function stub(entry: Merged | undefined): string {
  const names = entry?.names.map((name) => `${entry.rename(name)} as ${name}`) ?? [];
  return `export{${names.join(',')}}from${JSON.stringify(`./${entry?.core}`)};`;
}

/** Gives a file that esbuild wrote the form that it has beside the cores, or removes it. */
function settle(folder: string, file: string, outputs: Outputs, merged: ReadonlyMap<string, Merged>): void {
  const path = join(folder, file);
  const entry = merged.get(file);
  if (entry === undefined) writeFileSync(path, importingCores(file, readFileSync(path, 'utf8'), merged));
  else if (outputOf(outputs, file).entryPoint === undefined) rmSync(path);
  else writeFileSync(path, stub(entry));
}

/** esbuild writes all imports of a file as one row of statements. */
function importingCores(file: string, code: string, merged: ReadonlyMap<string, Merged>): string {
  const result = code.replace(/^(?:import(?:[\w${},* ]+from)?"[^"]+";)+/m, (row) =>
    row.replace(
      /import(?:\{([^}]*)\}from)?"\.\/([^"]+)";/g,
      (statement, names: string | undefined, from: string) => {
        const entry = merged.get(from);
        if (entry === undefined) return statement;
        const pairs = (names ?? '').split(',').filter((pair) => pair !== '');
        const imports = pairs.map((pair) => {
          const [name = '', local = name] = pair.split(' as ');
          return `${entry.rename(name)} as ${local}`;
        });
        return `import{${imports.join(',')}}from${JSON.stringify(`./${entry.core}`)};`;
      },
    ),
  );
  const lost = [...merged.keys()].find((name) => result.includes(`from"./${name}"`));
  if (lost !== undefined) throw new Error(`${file} still imports ${lost}`);
  return result;
}
