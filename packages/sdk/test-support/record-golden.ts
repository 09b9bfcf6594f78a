/**
 * Stores a folder of today's form for `replay/golden.int.test.ts`:
 *
 *     node --conditions=longhand-source packages/sdk/test-support/record-golden.ts NAME
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordGoldenRun } from './golden-run.ts';

const [name] = process.argv.slice(2);
if (name === undefined) throw new Error('give the name of the folder, such as the version of the release');
const target = join(import.meta.dirname, '../src/conversation/replay/fixtures', name);
const folder = mkdtempSync(join(tmpdir(), 'longhand-golden-'));
try {
  const directory = await recordGoldenRun(join(folder, 'conversations'), folder);
  for (const each of ['events', 'base_state.json'])
    cpSync(join(directory, each), join(target, each), { recursive: true });
  const files = readdirSync(target, { recursive: true, withFileTypes: true });
  for (const file of files.filter((each) => each.isFile())) {
    const path = join(file.parentPath, file.name);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(folder, '/golden'));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
