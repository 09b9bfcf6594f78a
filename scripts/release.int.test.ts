import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { releasedChangelog, setVersion } from './release.ts';

const root = resolve(import.meta.dirname, '..');
const FILES = [
  'CHANGELOG.md',
  'package-lock.json',
  'packages/cli/src/version.ts',
  'packages/sdk/src/version.ts',
  ...['cli', 'sdk', 'tools'].map((name) => `packages/${name}/package.json`),
];

test('a release gives the packages, what they ask of each other, the lock and the changelog one version, and changes no more', (t) => {
  const copy = mkdtempSync(join(tmpdir(), 'longhand-release-'));
  t.after(() => rmSync(copy, { recursive: true, force: true }));
  for (const file of FILES) cpSync(join(root, file), join(copy, file));
  const before = new Map(FILES.map((file) => [file, readFileSync(join(copy, file), 'utf8')]));
  const { version } = JSON.parse(before.get('packages/sdk/package.json') ?? '') as { version: string };

  setVersion(copy, '7.8.9', '2030-01-02');

  for (const file of FILES.slice(1)) {
    const text = readFileSync(join(copy, file), 'utf8');
    const changed = text.split('\n').filter((line, i) => line !== before.get(file)?.split('\n')[i]);
    assert.ok(changed.length > 0, file);
    for (const line of changed)
      assert.match(
        line,
        /^( +"(version|@longhand\/(sdk|tools))": "7\.8\.9",?|export const (SDK_)?VERSION = '7\.8\.9';)$/,
        file,
      );
    const restored = text.replaceAll('7.8.9', version);
    assert.equal(restored, before.get(file), file);
  }
  const manifest = JSON.parse(readFileSync(join(copy, 'packages/tools/package.json'), 'utf8'));
  assert.equal(manifest.dependencies['@longhand/sdk'], '7.8.9');
  assert.match(
    readFileSync(join(copy, 'CHANGELOG.md'), 'utf8'),
    /^## Unreleased\n\n## 7\.8\.9 \(2030-01-02\)\n\n\S/m,
  );
});

test('a version that is none, one that was released, and an empty changelog are refused', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- First.\n';
  assert.throws(() => releasedChangelog(changelog, 'next', '2030-01-02'), /"next" is no version/);
  assert.throws(() => releasedChangelog(changelog, '0.1.0', '2030-01-02'), /already has a version 0\.1\.0/);
  const released = releasedChangelog(changelog, '0.2.0', '2030-01-02');
  assert.throws(() => releasedChangelog(released, '0.3.0', '2030-01-02'), /nothing under "## Unreleased"/);
});
