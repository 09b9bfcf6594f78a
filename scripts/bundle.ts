/** Bundles the command with lazily loaded chunks: `node scripts/bundle.ts <folder>`. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { bundledAssets, copyAssets } from './assets.ts';
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

/** The schema library's messages in fifty languages would be a third of the bundle; only English is kept. */
const englishOnly: Plugin = {
  name: 'english-only',
  setup: ({ onLoad }) => {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * The provider packages, with three changes. `z` as an object that is imported keeps all of the schema library in the bundle;
 * as a namespace, what is used of it. Their `Headers` are our own, which load nothing. The schema of a streamed piece, a hundred schemas in
 * all, is made when something is streamed.
 */
const leanProviders: Plugin = {
  name: 'lean-providers',
  setup: ({ onLoad }) => {
    const headers = `import { Headers } from ${JSON.stringify(join(import.meta.dirname, 'headers.ts'))};\n`;
    onLoad({ filter: /@ai-sdk\/[^/]+\/dist\/index\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const byName = text.replace('import { z } from "zod/v4"', 'import * as z from "zod/v4"');
      const byNeed = byName.replace(
        /this\.chunkSchema = (createOpenAICompatible\w+ChunkSchema\(.*\));/g,
        'let chunks; Object.defineProperty(this, "chunkSchema", { get: () => (chunks ??= $1) });',
      );
      if (/\bchunkSchema = create/.test(byNeed)) throw new Error(`${path} has changed: see leanProviders`);
      const contents = /\bHeaders\b/.test(text) ? headers + byNeed : byNeed;
      return { contents, resolveDir: dirname(path) };
    });
  },
};

/** The stream class of server-sent events is defined on first use, because a class that extends `TransformStream` loads web streams. */
const lazyEventStream: Plugin = {
  name: 'lazy-event-stream',
  setup: ({ onLoad }) => {
    onLoad({ filter: /eventsource-parser\/dist\/stream\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const [before, definition] = text.split(/^(?=class EventSourceParserStream extends TransformStream)/m);
      const [body, after] = (definition ?? '').split(/^(?=export \{)/m);
      if (after === undefined) throw new Error(`${path} has changed: see lazyEventStream`);
      const made = 'return new (made ??= define())(options);';
      const lazy = `let made; function EventSourceParserStream(options) { ${made} }`;
      return {
        contents: `${before}const define = () => ${body};\n${lazy}\n${after}`,
        resolveDir: dirname(path),
      };
    });
  },
};

/**
 * An `import` of a built-in module of Node reads every export, and so loads what would otherwise load on first use: `node:fs`
 * loads streams and readline, `node:util` worker threads. Taken as an object, it loads only what is used. Each importer has
 * its own copy, because a shared one would become a file of its own, and opening a file takes longer. Modules that few runs use are loaded
 * with the first use.
 */
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup: ({ onResolve, onLoad }) => {
    const importers = new Map<string, number>();
    onResolve({ filter: /^node:/ }, ({ path, importer, kind }) => {
      if (kind === 'dynamic-import') return { path, external: true }; // it is lazy already
      if (!importers.has(importer)) importers.set(importer, importers.size);
      return { path: `${path}#${importers.get(importer)}`, namespace: 'builtin' };
    });
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
      const name = path.replace(/#.*/, '');
      const load = `process.getBuiltinModule(${JSON.stringify(name)})`;
      const onUse = `let it; module.exports = new Proxy({}, { get: (_, key) => (it ??= ${load})[key] });`;
      return { contents: SELDOM_USED.has(name) ? onUse : `module.exports = ${load};` };
    });
  },
};

const SELDOM_USED = new Set(['node:readline', 'node:v8', 'node:vm']);

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
      plugins: [bundledAssets, englishOnly, leanProviders, lazyEventStream, lazyBuiltins],
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
