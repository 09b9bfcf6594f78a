/** Bundles the command with lazily loaded chunks: `node scripts/bundle.ts <folder>`. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { bundledAssets, copyAssets } from './assets.ts';
import {
  englishOnly,
  lazyBuiltins,
  lazyEventStream,
  leanProviders,
  withoutIndexes,
} from './bundle-plugins.ts';
import { mergeChunks } from './merge-chunks.ts';

const root = resolve(import.meta.dirname, '..');

/**
 * The first file to run. It answers `--version` by itself, and turns on the cache of compiled code for all others. Each
 * command has its own cache: one holds the functions that the first process called, and is never extended.
 */
const ENTRY = (version: string) => `#!/usr/bin/env node
if (process.argv.length === 3 && process.argv[2] === '--version') console.log(${JSON.stringify(version)});
else {
  const { enableCompileCache } = process.getBuiltinModule('node:module');
  const [word = ''] = process.argv.slice(2);
  const command = /^[a-z]+$/.test(word) ? word : /^(-h|--help)$/.test(word) ? 'help' : 'run';
  enableCompileCache(new URL('./compiled/' + command, import.meta.url).pathname);
  await import('./chunks/main.js');
}
`;

/** Optional peers of the SDK, installed by users of these providers. */
const OPTIONAL_PROVIDERS = [
  'amazon-bedrock',
  'azure',
  'google-vertex',
  'google-vertex/anthropic',
  'mistral',
].map((name) => `@ai-sdk/${name}`);

/** Packages that look for binaries or files beside their code. */
export const WITH_FILES = ['@lydell/node-pty', '@vscode/ripgrep', 'playwright-core', 'zeromq'];

/** What every command loads, and what every run loads beyond it. */
const ALWAYS = [['dispatch.ts', 'commands/run.ts'], ['run/run-task.ts']].map((group) =>
  group.map((path) => `packages/cli/src/${path}`),
);

const OUTPUT: BuildOptions = {
  absWorkingDir: root,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  minifyWhitespace: true,
  minifySyntax: true,
  keepNames: false,
  legalComments: 'none',
  logLevel: 'error',
};

/** What stays outside the bundle. */
export const EXTERNAL = [...WITH_FILES, ...OPTIONAL_PROVIDERS];

/** Writes the bundle to the folder `target` and returns the paths of the modules that went into it. */
export async function bundle(target: string): Promise<string[]> {
  const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as {
    version: string;
  };
  // Built beside the target and moved into place, so that a process that starts never reads half a bundle.
  const temporary = `${target}.${process.pid}`;
  mkdirSync(dirname(target), { recursive: true });
  const began = new Date();
  try {
    const { metafile } = await build({
      ...OUTPUT,
      entryPoints: [join(root, 'packages/cli/src/main.ts')],
      entryNames: 'chunks/[name]',
      metafile: true,
      outdir: temporary,
      bundle: true,
      splitting: true,
      conditions: ['longhand-source', 'import'],
      // Its CommonJS form would have no named exports when it is imported lazily.
      alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
      chunkNames: 'chunks/[name]-[hash]',
      external: [...EXTERNAL],
      plugins: [bundledAssets, withoutIndexes, englishOnly, leanProviders, lazyEventStream, lazyBuiltins],
      // CommonJS packages in the bundle require nothing but Node's own modules.
      banner: { js: 'const require=(name)=>process.getBuiltinModule(name);' },
    });
    await mergeChunks(join(temporary, 'chunks'), metafile, ALWAYS, OUTPUT);
    inheritNamespaces(join(temporary, 'chunks'));
    for (const name of ['sdk', 'tools', 'cli']) copyAssets(name, join(temporary, 'assets', name));
    writeFileSync(join(temporary, 'package.json'), '{"type":"module"}');
    writeFileSync(join(temporary, 'longhand.js'), ENTRY(version), { mode: 0o755 });
    // Dated to the start of the build, so that a source saved meanwhile is newer.
    utimesSync(join(temporary, 'longhand.js'), began, began);
    replace(temporary, target);
    return Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * esbuild copies every property of a CommonJS module, which with our built-in modules is each of Node's, to a namespace for each importer.
 * This costs time, and the look at a property loads what would otherwise load on first use: `TextDecoder` of `node:util` loads web streams.
 * Instead, the namespace inherits from the module. Throws if esbuild writes its helper in another way.
 */
function inheritNamespaces(folder: string): void {
  const helper = /__toESM=\(mod,isNodeMode,target\)=>\(target=.*?:target,mod\)\)/;
  let count = 0;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const code = readFileSync(path, 'utf8');
    if (!code.includes('__toESM=')) continue;
    const inherited = code.replace(helper, `__toESM=${NAMESPACE}`);
    if (inherited === code) throw new Error(`${name} has an unknown form of esbuild's __toESM`);
    writeFileSync(path, inherited);
    count += 1;
  }
  if (count === 0) throw new Error("esbuild's __toESM is in none of the files");
}

const NAMESPACE = `(mod,isNodeMode)=>isNodeMode||!mod||!mod.__esModule?Object.create(mod==null?null:Object(mod),{default:{value:mod,enumerable:!0}}):mod`;

function replace(temporary: string, target: string): void {
  const old = `${target}.old.${process.pid}`;
  try {
    renameSync(target, old);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  try {
    renameSync(temporary, target);
  } catch (error) {
    // Another process was faster; its bundle will do.
    if (!readdirSync(dirname(target)).includes(basename(target))) throw error;
  }
  rmSync(old, { recursive: true, force: true });
}

if (import.meta.main) await bundle(resolve(process.argv[2] ?? join(root, 'packages/cli/dist')));
