import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { userFolder } from './user-folder.ts';

test("XDG's folders are used when they are set, and ~/.longhand as long as only that exists", (t) => {
  const home = mkdtempSync(join(tmpdir(), 'longhand-home-'));
  const names = ['HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'];
  const before = names.map((name) => process.env[name]);
  const set = (...values: readonly (string | undefined)[]) => {
    for (const [i, name] of names.entries()) {
      if (values[i] === undefined) delete process.env[name];
      else process.env[name] = values[i];
    }
  };
  t.after(() => {
    rmSync(home, { recursive: true, force: true });
    set(...before);
  });
  set(home);
  const usual = join(home, '.longhand');
  assert.deepEqual([userFolder('config'), userFolder('data')], [usual, usual]);
  set(home, join(home, 'c'), 'relative');
  assert.deepEqual([userFolder('config'), userFolder('data')], [join(home, 'c/longhand'), usual]);
  mkdirSync(usual);
  assert.equal(userFolder('config'), usual);
  mkdirSync(join(home, 'c/longhand'), { recursive: true });
  assert.equal(userFolder('config'), join(home, 'c/longhand'));
});
