/**
 * Files beside the source that are not TypeScript: prompts, programs in other languages, grammars. The code finds them
 * below its own `import.meta.dirname`, so a build has to keep each at the same path.
 */
import { cpSync, globSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { Plugin } from 'esbuild';

const PACKAGES = resolve(import.meta.dirname, '../packages');
const MODULES = resolve(import.meta.dirname, '../node_modules');

/** Files of packages that a build carries, by package of ours and path in it. */
const FROM_MODULES: { readonly [name: string]: { readonly [path: string]: string } } = {
  tools: {
    'browser/recording/rrweb-record.cjs': '@rrweb/record/dist/record.umd.min.cjs',
    'terminal/bash/web-tree-sitter.wasm': 'web-tree-sitter/web-tree-sitter.wasm',
    'terminal/bash/tree-sitter-bash.wasm': 'tree-sitter-bash/tree-sitter-bash.wasm',
    'terminal/bash/tree-sitter-bash.LICENSE': 'tree-sitter-bash/LICENSE',
  },
};

/** Copies the assets of one package to the same paths below `target`, and returns these paths. */
export function copyAssets(name: string, target: string): string[] {
  const source = join(PACKAGES, name, 'src');
  const files = globSync('**/*.*', { cwd: source, exclude: isNoAsset });
  for (const file of files) cpSync(join(source, file), join(target, file));
  const carried = Object.entries(FROM_MODULES[name] ?? {});
  for (const [file, from] of carried) cpSync(join(MODULES, from), join(target, file));
  return [...files, ...carried.map(([file]) => file)];
}

function isNoAsset(path: string): boolean {
  return path.endsWith('.ts') || path.split(sep).includes('fixtures');
}

/** For a bundle, where source files lose their folders: assets go to `assets/<package>/`, and the code looks for them there. */
export const bundledAssets: Plugin = {
  name: 'bundled-assets',
  setup: ({ onLoad }) => {
    onLoad({ filter: /packages[\\/][^\\/]+[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.dirname')) return null;
      const [name = '', , ...folders] = relative(PACKAGES, path).split(sep).slice(0, -1);
      const folder = ['..', 'assets', name, ...folders].join('/');
      return {
        contents: text.replaceAll('import.meta.dirname', `(import.meta.dirname + '/${folder}')`),
        loader: 'ts',
      };
    });
  },
};
