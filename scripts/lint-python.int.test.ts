import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pythonFaults } from './lint-python.ts';

test('a name that is not defined and a file that is not formatted are reported, and formatting can be written', () => {
  const root = mkdtempSync(join(tmpdir(), 'longhand-lint-'));
  try {
    const file = join(root, 'packages/x/a.py');
    mkdirSync(join(root, 'packages/x'), { recursive: true });
    writeFileSync(file, 'print( missing )\n');
    const undefinedName = /^packages\/x\/a\.py:1:\d F821 Undefined name `missing`$/;
    const [name, format, ...rest] = pythonFaults(root, false);
    assert.match(name ?? '', undefinedName);
    assert.match(format ?? '', /is not formatted/);
    assert.deepEqual(rest, []);
    assert.match(pythonFaults(root, true).join(), undefinedName);
    assert.equal(readFileSync(file, 'utf8'), 'print(missing)\n');
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
