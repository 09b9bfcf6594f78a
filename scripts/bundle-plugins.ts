/** What the bundle changes about the code that goes into it, so that a run loads less. See docs/adr/0013-start-up.md. */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Plugin } from 'esbuild';

const root = resolve(import.meta.dirname, '..');

/** The schema library's messages in fifty languages would be a third of the bundle; only English is kept. */
export const englishOnly: Plugin = {
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
export const leanProviders: Plugin = {
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
      if (/\bchunkSchema = create/.test(byNeed))
        throw new Error(`${path} has changed: see leanProviders in scripts/bundle-plugins.ts`);
      const contents = /\bHeaders\b/.test(text) ? headers + byNeed : byNeed;
      return { contents, resolveDir: dirname(path) };
    });
  },
};

/** The stream class of server-sent events is defined on first use, because a class that extends `TransformStream` loads web streams. */
export const lazyEventStream: Plugin = {
  name: 'lazy-event-stream',
  setup: ({ onLoad }) => {
    onLoad({ filter: /eventsource-parser\/dist\/stream\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const [before, definition] = text.split(/^(?=class EventSourceParserStream extends TransformStream)/m);
      const [body, after] = (definition ?? '').split(/^(?=export \{)/m);
      if (after === undefined)
        throw new Error(`${path} has changed: see lazyEventStream in scripts/bundle-plugins.ts`);
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
export const lazyBuiltins: Plugin = {
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

/**
 * Imports from the SDK as imports from the modules that define the names. esbuild otherwise takes whatever an index exports for a part of
 * everything that imports from it, so that each run would load the importers and exporters of trajectories.
 */
export const withoutIndexes: Plugin = {
  name: 'without-indexes',
  setup: ({ onLoad }) => {
    const sdk = join(root, 'packages/sdk/src');
    const indexes = new Map(
      [
        ['@longhand/sdk', 'index.ts'],
        ['@longhand/sdk/internal', 'internal.ts'],
        ['@longhand/sdk/value', 'value/index.ts'],
      ].map(([name = '', file = '']) => [name, definitionsIn(join(sdk, file))]),
    );
    onLoad({ filter: /packages\/(cli|tools)\/src\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = text.replace(
        /^import \{([^}]*)\} from '(@longhand\/sdk[a-z/]*)';/gm,
        (statement, names: string, from: string) => {
          const definitions = indexes.get(from);
          if (definitions === undefined) return statement;
          const imported = names.split(',').map((each) => each.trim());
          const values = imported.filter((each) => each !== '' && !each.startsWith('type '));
          const source = (each: string) => JSON.stringify(definitions.get(each.replace(/ as .*/, '')));
          return values.map((each) => `import { ${each} } from ${source(each)};`).join(' ');
        },
      );
      return { contents, loader: 'ts' };
    });
  },
};

/** The files that define the names that an index exports. */
function definitionsIn(index: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const exported = readFileSync(index, 'utf8').matchAll(/^export \{([^}]*)\} from '([^']+)';/gm);
  for (const [, names = '', from = ''] of exported)
    for (const name of names.split(',')) found.set(name.trim(), resolve(dirname(index), from));
  return found;
}
