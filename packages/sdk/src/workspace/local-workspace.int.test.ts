import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocalWorkspace } from './local-workspace.ts';
import { type Workspace, WorkspaceError } from './workspace.ts';

let folder: string;
let workspace: Workspace;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-workspace-')));
  workspace = openLocalWorkspace(folder);
});
afterEach(async () => {
  await workspace.close();
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string) => join(folder, name);
const fails = (code: string) => (error: unknown) => error instanceof WorkspaceError && error.code === code;

test('a path that is not a folder cannot be opened', () => {
  writeFileSync(at('file'), '');
  assert.throws(() => openLocalWorkspace(at('none')), fails('not_found'));
  assert.throws(() => openLocalWorkspace(at('file')), fails('not_a_directory'));
});

test('files are written as a whole, and no temporary files remain', async () => {
  await workspace.makeDirectory(at('a/b'));
  await workspace.writeFile(at('a/b/f'), Buffer.from('text'));
  assert.deepEqual(readdirSync(at('a/b')), ['f']);
  assert.equal(Buffer.from(await workspace.readFile(at('a/b/f'), { offset: 1, length: 2 })).toString(), 'ex');
  assert.deepEqual(await workspace.list(at('a')), [{ name: 'b', type: 'directory' }]);
});

test('permissions, symbolic links and hard links of a file survive writing', async () => {
  writeFileSync(at('f'), 'old');
  chmodSync(at('f'), 0o751);
  symlinkSync(at('f'), at('soft'));
  await workspace.writeFile(at('soft'), Buffer.from('new'));
  assert.deepEqual([readFileSync(at('f'), 'utf8'), statSync(at('f')).mode & 0o777], ['new', 0o751]);
  linkSync(at('f'), at('hard'));
  await workspace.writeFile(at('f'), Buffer.from('both'));
  assert.equal(readFileSync(at('hard'), 'utf8'), 'both');
});

test('set-user-ID bits survive writing', async () => {
  writeFileSync(at('f'), 'old');
  chmodSync(at('f'), 0o6755);
  await workspace.writeFile(at('f'), Buffer.from('new'));
  assert.equal(statSync(at('f')).mode & 0o7777, 0o6755);
});

test('a file with two hard links keeps its content if writing fails', () => {
  writeFileSync(at('f'), 'old');
  linkSync(at('f'), at('hard'));
  const script = `
    const { openLocalWorkspace } = await import(${JSON.stringify(import.meta.resolve('./local-workspace.ts'))});
    const workspace = openLocalWorkspace(${JSON.stringify(folder)});
    await workspace.writeFile(${JSON.stringify(at('f'))}, Buffer.alloc(1024 * 1024)).catch((e) => console.log(e.message));`;
  // As on a full disk: no file may grow beyond some hundred kilobytes.
  const node = `ulimit -f 200; exec "$0" --conditions=longhand-source --input-type=module -e "$1"`;
  const { stdout } = spawnSync('bash', ['-c', node, process.execPath, script], { encoding: 'utf8' });
  assert.match(stdout, /EFBIG/);
  assert.deepEqual([readFileSync(at('f'), 'utf8'), readdirSync(folder)], ['old', ['f', 'hard']]);
});

test('errors have a path and a code', async () => {
  await assert.rejects(workspace.readFile(at('none')), fails('not_found'));
  await assert.rejects(workspace.readFile(folder), fails('is_a_directory'));
  await assert.rejects(workspace.spawn(['no-such-program']), fails('not_found'));
  await assert.rejects(workspace.spawn(['true', 'a\0b']), fails('other'));
  await assert.rejects(workspace.spawn(['true', 'x'.repeat(10_000_000)]), fails('other'));
  assert.equal(await workspace.stat(at('none')), null);
  assert.equal(await workspace.realPath(at('none/deeper')), at('none/deeper'));
});

for (const pty of [undefined, { columns: 80, rows: 24 }]) {
  const where = pty === undefined ? 'pipes' : 'a pseudo-terminal';

  test(`a program on ${where} reads input and writes output`, async () => {
    const cat = await workspace.spawn(['head', '-n', '1'], pty === undefined ? {} : { pty });
    let output = '';
    cat.onOutput((bytes) => {
      output += Buffer.from(bytes).toString();
    });
    await cat.write('a line\n');
    assert.deepEqual(await cat.exited, { code: 0, signal: null });
    assert.match(output, /a line/);
  });

  test(`a program on ${where} is ended with all its descendants`, async () => {
    const shell = await workspace.spawn(
      ['bash', '-c', `trap "" TERM HUP; (setsid sleep ${seconds(5)} & ); echo ready; sleep ${seconds(5)}`],
      pty === undefined ? {} : { pty },
    );
    await new Promise<void>((resolve) => shell.onOutput(() => resolve()));
    await shell.terminate();
    assert.equal((await shell.exited).code, null);
    assert.deepEqual(sleepers(seconds(5)), []);
  });
}

test('programs that cleared their environment are ended if they are in the session or children of a known process', async () => {
  const shell = await workspace.spawn(
    [
      'bash',
      '-c',
      'env -i nohup sleep 300.4 & (exec setsid env -i bash -c "sleep 300.4; :") & echo ready; wait',
    ],
    { pty: { columns: 80, rows: 24 } },
  );
  await new Promise<void>((resolve) => shell.onOutput(() => resolve()));
  while (sleepers('300.4').length < 2) await sleep(5);
  await shell.terminate();
  assert.deepEqual(sleepers('300.4'), []);
});

test('a program that closes its pseudo-terminal before it exits is not hung up', async () => {
  const left = await workspace.spawn(['bash', '-c', 'exec <&- >&- 2>&-; sleep 0.1; exit 7'], {
    pty: { columns: 80, rows: 24 },
  });
  assert.deepEqual(await left.exited, { code: 7, signal: null });
});

test('what a program left behind is ended after the program has exited', async () => {
  const shell = await workspace.spawn(['bash', '-c', `(sleep ${seconds(7)} >&- 2>&- <&- &)`]);
  await shell.exited;
  while (sleepers(seconds(7)).length === 0) await sleep(5); // the shell may be gone before its child is `sleep`
  await shell.terminate();
  assert.deepEqual(sleepers(seconds(7)), []);
});

test('closing ends a program that is still starting', async () => {
  const starting = workspace.spawn(['sleep', seconds(8)]);
  await workspace.close();
  assert.equal((await (await starting).exited).code, null);
  assert.deepEqual(sleepers(seconds(8)), []);
});

test('unread input on a pseudo-terminal blocks neither this process nor other programs', async () => {
  const pty = { columns: 80, rows: 24 };
  const sleeper = await workspace.spawn(['sleep', seconds(6)], { pty });
  const stuck = sleeper.write(`${'x'.repeat(99)}\n`.repeat(200));
  const text = `${'abcdefghi'.repeat(11)}\n`.repeat(500);
  const reader = await workspace.spawn(
    ['bash', '-c', `stty -echo; echo go; head -c ${text.length} | md5sum`],
    {
      pty,
    },
  );
  let output = '';
  await new Promise<void>((resolve) => {
    reader.onOutput((bytes) => {
      output += Buffer.from(bytes).toString();
      resolve();
    });
  });
  await reader.write(text);
  await reader.exited;
  assert.ok(output.includes(createHash('md5').update(text).digest('hex')));
  const refused = assert.rejects(stuck, /takes no input/);
  await sleeper.terminate();
  await refused;
});

/** A time that no other run of these tests sleeps for. */
function seconds(number: number): string {
  return `30${number}.${process.pid}`;
}

function sleepers(time: string): string[] {
  const command = `sleep\0${time}\0`;
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === command;
    } catch {
      return false; // gone meanwhile, or no such file here
    }
  });
}
