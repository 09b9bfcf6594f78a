import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { test } from 'node:test';
import { build } from 'esbuild';
import { WITH_FILES } from './bundle.ts';

const root = resolve(import.meta.dirname, '..');

/** `const { a, b: c } = await import('package')`, by package and where it stands. */
function lazyImports() {
  return globSync('packages/*/src/**/*.ts', {
    cwd: root,
    exclude: (path) => path.endsWith('.test.ts'),
  }).flatMap((file) => {
    const source = readFileSync(resolve(root, file), 'utf8');
    const found = source.matchAll(/const \{([^{}=]*)\} = await import\('([^.'][^']*)'\)/g);
    return Array.from(found, ([, names = '', specifier = '']) => ({
      file,
      specifier,
      names: names.split(',').flatMap((each) => each.split(':')[0]?.trim() || []),
    }));
  });
}

test('lazily imported packages have their named exports in the bundle too: a CommonJS package has only a default export there', async () => {
  const all = lazyImports().filter(
    ({ specifier }) => !specifier.startsWith('node:') && !WITH_FILES.includes(specifier),
  );
  assert.ok(all.some(({ specifier }) => specifier === 'yaml'));
  for (const { file, specifier, names } of all) {
    const { metafile } = await build({
      stdin: { contents: `import('${specifier}')`, resolveDir: dirname(resolve(root, file)) },
      bundle: true,
      splitting: true,
      metafile: true,
      write: false,
      outdir: 'nowhere',
      format: 'esm',
      platform: 'node',
      conditions: ['longhand-source', 'import'],
      external: [...WITH_FILES],
    });
    const chunks = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint !== '<stdin>');
    const exported = chunks.flatMap(({ entryPoint, exports }) => (entryPoint === undefined ? [] : exports));
    for (const name of names) assert.ok(exported.includes(name), `${file}: ${name} of ${specifier}`);
  }
});
