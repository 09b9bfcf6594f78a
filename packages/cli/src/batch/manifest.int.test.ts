import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readInstance } from './instance.ts';
import { agreeWithManifest } from './manifest.ts';

test('a task that comes later may have any name, and a known one must be the same', async (t) => {
  const out = mkdtempSync(join(tmpdir(), 'longhand-manifest-'));
  t.after(() => rmSync(out, { recursive: true, force: true }));
  const instance = (id: string, task: string) => readInstance(JSON.stringify({ id, task }), out);
  const agree = (...instances: readonly ReturnType<typeof instance>[]) =>
    agreeWithManifest(out, {}, instances);
  await agree(instance('a', 'x'));
  await agree(instance('a', 'x'), instance('constructor', 'y'), instance('__proto__', 'z'));
  await agree(instance('constructor', 'y'), instance('__proto__', 'z'));
  await assert.rejects(agree(instance('constructor', 'other')), /the task "constructor" has changed since/);
});
