import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Process, Workspace, WorkspaceErrorCode } from '../../workspace/workspace.ts';

/** A workspace whose folder is empty, and what a test needs around it. */
export interface WorkspaceUnderTest {
  readonly workspace: Workspace;
  /** Called after the workspace was closed. */
  remove(): Promise<void>;
}

/**
 * Registers the tests (of `node:test`) that every Workspace must pass on a system with a POSIX shell. `name` begins their
 * names; `open` makes a workspace for each test.
 */
export function workspaceContract(name: string, open: () => Promise<WorkspaceUnderTest>): void {
  type Act = (workspace: Workspace, at: (path: string) => string) => Promise<void>;
  const inWorkspace = (behaviour: string, act: Act): void => {
    test(`${name}: ${behaviour}`, async () => {
      const { workspace, remove } = await open();
      try {
        await act(workspace, (path) => `${workspace.root}/${path}`);
      } finally {
        await workspace.close();
        await remove();
      }
    });
  };
  fileContract(inWorkspace);
  processContract(inWorkspace);
}

type InWorkspace = (
  behaviour: string,
  act: (workspace: Workspace, at: (path: string) => string) => Promise<void>,
) => void;

const bytes = (text: string) => new TextEncoder().encode(text);
const textOf = (data: Uint8Array) => new TextDecoder().decode(data);
const failure = (code: WorkspaceErrorCode) => ({ name: 'WorkspaceError', code });

function fileContract(inWorkspace: InWorkspace): void {
  inWorkspace('what was written is read, as a whole and by a span of bytes', async (workspace, at) => {
    const data = Uint8Array.from({ length: 70_000 }, (_, i) => i % 256);
    await workspace.writeFile(at('f'), data);
    assert.deepEqual(new Uint8Array(await workspace.readFile(at('f'))), data);
    const span = await workspace.readFile(at('f'), { offset: 65_530, length: 10 });
    assert.deepEqual(new Uint8Array(span), data.slice(65_530, 65_540));
    assert.equal((await workspace.readFile(at('f'), { offset: 69_995, length: 10 })).length, 5);
  });

  inWorkspace('writing replaces a file and keeps its permissions', async (workspace, at) => {
    await workspace.writeFile(at('f'), bytes('a long text'), { mode: 0o750 });
    await workspace.writeFile(at('f'), bytes('short'), { mode: 0o600 });
    assert.equal(textOf(await workspace.readFile(at('f'))), 'short');
    const stat = await workspace.stat(at('f'));
    assert.deepEqual([stat?.type, stat?.sizeBytes, (stat?.mode ?? 0) & 0o777], ['file', 5, 0o750]);
    assert.deepEqual(await workspace.list(workspace.root), [{ name: 'f', type: 'file' }]);
  });

  inWorkspace('folders are created with their parents, and may exist', async (workspace, at) => {
    await workspace.makeDirectory(at('a/b'));
    await workspace.makeDirectory(at('a/b'));
    await workspace.writeFile(at('a/f'), bytes(''));
    assert.equal((await workspace.stat(at('a/b')))?.type, 'directory');
    const entries = [...(await workspace.list(at('a')))].sort((x, y) => x.name.localeCompare(y.name));
    assert.deepEqual(entries, [
      { name: 'b', type: 'directory' },
      { name: 'f', type: 'file' },
    ]);
  });

  inWorkspace('files are renamed and removed, folders with all that is in them', async (workspace, at) => {
    await workspace.makeDirectory(at('a/b'));
    await workspace.writeFile(at('a/b/f'), bytes('text'));
    await workspace.rename(at('a/b/f'), at('a/g'));
    assert.equal(textOf(await workspace.readFile(at('a/g'))), 'text');
    assert.equal(await workspace.stat(at('a/b/f')), null);
    await workspace.remove(at('a'));
    assert.deepEqual(await workspace.list(workspace.root), []);
  });

  inWorkspace('what is not there has no stat, and is an error otherwise', async (workspace, at) => {
    assert.equal(await workspace.stat(at('none')), null);
    await assert.rejects(workspace.readFile(at('none')), failure('not_found'));
    await assert.rejects(workspace.list(at('none')), failure('not_found'));
    await assert.rejects(workspace.rename(at('none'), at('other')), failure('not_found'));
    await assert.rejects(workspace.writeFile(at('none/f'), bytes('')), failure('not_found'));
  });

  inWorkspace('a folder is no file, and a file is no folder', async (workspace, at) => {
    await workspace.writeFile(at('f'), bytes(''));
    await assert.rejects(workspace.readFile(workspace.root), failure('is_a_directory'));
    await assert.rejects(workspace.list(at('f')), failure('not_a_directory'));
  });

  inWorkspace(
    'the real path of what does not exist begins with that of its parent',
    async (workspace, at) => {
      const root = await workspace.realPath(workspace.root);
      assert.equal(await workspace.realPath(at('none/f')), `${root}/none/f`);
    },
  );
}

function processContract(inWorkspace: InWorkspace): void {
  inWorkspace('a program has its output, its streams and its exit code', async (workspace) => {
    const { process, output } = await start(workspace, ['sh', '-c', 'printf out; printf err >&2; exit 3']);
    assert.deepEqual(await process.exited, { code: 3, signal: null });
    assert.deepEqual(output(), { stdout: 'out', stderr: 'err' });
    assert.equal(process.isTty, false);
  });

  inWorkspace('a program reads what is written to it, up to the end', async (workspace) => {
    const { process, output } = await start(workspace, ['cat']);
    await process.write('one ');
    await process.write(bytes('two'));
    process.end();
    assert.equal((await process.exited).code, 0);
    assert.equal(output().stdout, 'one two');
  });

  inWorkspace(
    'a program starts in the root, or where it is told to, with the variables given',
    async (workspace, at) => {
      await workspace.makeDirectory(at('inside'));
      const root = await start(workspace, ['pwd', '-P']);
      await root.process.exited;
      assert.equal(root.output().stdout.trim(), await workspace.realPath(workspace.root));
      const { process, output } = await start(
        workspace,
        ['sh', '-c', 'pwd -P; printf "$WORD,${HOME-unset}"'],
        {
          cwd: at('inside'),
          env: { WORD: 'a word', HOME: undefined },
        },
      );
      await process.exited;
      assert.equal(output().stdout, `${await workspace.realPath(at('inside'))}\na word,unset`);
    },
  );

  inWorkspace('a program that does not exist cannot be started', async (workspace) => {
    await assert.rejects(workspace.spawn(['longhand-no-such-program']), failure('not_found'));
    assert.deepEqual(await workspace.which(['sh', 'longhand-no-such-program']), ['sh']);
  });

  inWorkspace('a program ends with a signal, or when it is terminated', async (workspace) => {
    const killed = await workspace.spawn(['sleep', '600']);
    killed.kill('SIGKILL');
    assert.equal((await killed.exited).signal, 'SIGKILL');
    const deaf = await start(workspace, ['sh', '-c', 'trap "" TERM; echo ready; sleep 600; sleep 600']);
    await deaf.said('ready');
    await deaf.process.terminate();
    assert.notEqual((await deaf.process.exited).code, 0);
    await assert.rejects(deaf.process.write('more'));
  });

  inWorkspace(
    'taking over ends the programs of a killed run, if it says so, and no others',
    async (workspace) => {
      if (workspace.takeOver === undefined) return;
      const [killed, own] = [crypto.randomUUID(), crypto.randomUUID()];
      assert.deepEqual(await workspace.takeOver(killed, []), { ended: 0, isSure: true });
      const left = await workspace.spawn(['sleep', '600']);
      await workspace.takeOver(own, []);
      const other = await workspace.spawn(['cat']);
      const { ended, isSure } = await workspace.takeOver(own, [killed]);
      if (isSure) assert.equal(ended, 1);
      if (ended > 0) assert.notEqual((await left.exited).code, 0);
      other.end();
      assert.equal((await other.exited).code, 0);
    },
  );

  inWorkspace('closing ends every program, and may be repeated', async (workspace) => {
    const process = await workspace.spawn(['sleep', '600']);
    await workspace.close();
    assert.notEqual((await process.exited).code, 0);
    await workspace.close();
  });
}

interface Started {
  readonly process: Process;
  output(): { readonly stdout: string; readonly stderr: string };
  /** Resolves when standard output holds the text. */
  said(text: string): Promise<void>;
}

async function start(
  workspace: Workspace,
  argv: readonly string[],
  options?: Parameters<Workspace['spawn']>[1],
): Promise<Started> {
  const process = await workspace.spawn(argv, options);
  const output = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  process.onOutput((data, stream) => {
    output[stream] += textOf(data);
    for (const check of waiting) check();
  });
  return {
    process,
    output: () => output,
    said: (text) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (output.stdout.includes(text)) resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
