import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openLocalWorkspace, type Workspace } from '@longhand/sdk';
import type { TryOptions } from '@longhand/sdk/testing';
import {
  isAlive,
  openPythonPlace,
  PNG,
  type PythonPlace,
  type TriedPython,
  until,
} from '../../test-support/python.ts';
import { startKernel } from './kernel/kernel.ts';
import { loadZeromq } from './kernel/wire.ts';
import { runCell } from './session.ts';
import { startSession } from './start-session.ts';

let place: PythonPlace;
before(async () => {
  place = await openPythonPlace();
});
after(() => place.close());

function withOwnKernel(
  name: string,
  body: (own: TriedPython) => Promise<void>,
  options: Partial<TryOptions> = {},
) {
  test(name, async (t) => {
    if (place.withKernel === null) return t.skip('needs ipykernel');
    const own = await place.open(options);
    try {
      await body(own);
    } finally {
      await own.tried.close();
    }
  });
}

// Mostly waiting: side by side.
describe('how sessions end', { concurrency: 3 }, () => {
  withOwnKernel('exit() is the way to a new Python', async ({ run }) => {
    await run('x = 1');
    const { said, isError } = await run('print("bye"); exit()');
    assert.equal(isError, false);
    assert.equal(
      said,
      'bye\n[The cell ended Python. Variables are lost; the next cell starts a new session.]',
    );
    assert.match((await run('x')).said, /NameError: name 'x' is not defined$/);
  });

  withOwnKernel('5.1: a kernel that dies is told, with its last words, and replaced', async ({ run }) => {
    const pid = Number((await run('import os; print(os.getpid())')).said);
    process.kill(pid, 'SIGKILL');
    await until(() => !isAlive(pid));
    const killed = await run('1');
    assert.equal(killed.isError, true);
    assert.match(
      killed.said,
      /\[Python exited unexpectedly \(SIGKILL, perhaps out of memory\)\. Variables are lost; the next/,
    );
    const crashed = await run('import ctypes\nprint("before", flush=True)\nctypes.string_at(0)');
    assert.match(
      crashed.said,
      /\[Python exited unexpectedly \(SIGSEGV\)[\s\S]*last output: Fatal Python error: Segmentation fault/,
    );
    assert.equal((await run('1')).said, '1');
  });

  withOwnKernel(
    'a cell that will not be interrupted costs Python its life, and what it had started goes too',
    async ({ run, folder }) => {
      const code = `import signal, subprocess, time
child = subprocess.Popen(["sleep", "600"], start_new_session=True)
open("pid", "w").write(str(child.pid))
signal.signal(signal.SIGINT, signal.SIG_IGN)
time.sleep(600)`;
      const { said } = await run(code, 2);
      assert.match(said, /did not react to the interrupt, so Python was terminated\. Variables are lost/);
      assert.equal(isAlive(Number(readFileSync(join(folder, 'pid'), 'utf8'))), false);
      assert.equal((await run('1')).said, '1');
    },
  );

  withOwnKernel(
    'closing ends the kernel with all it has started, and removes its files; what cells left for the end is done',
    async ({ tried, run, folder }) => {
      const code = `import atexit, os, pathlib, subprocess
children = [subprocess.Popen(["sleep", "600"], start_new_session=apart) for apart in (False, True)]
atexit.register(lambda: pathlib.Path("${folder}/left").touch())
print(os.getpid(), *[child.pid for child in children], os.environ["IPYTHONDIR"])`;
      const [ipython = '', ...pids] = (await run(code)).said.split(' ').reverse();
      const kernelFolder = dirname(ipython);
      const file = join(kernelFolder, 'connection.json');
      assert.equal(existsSync(file), true);
      assert.ok(pids.every((pid) => isAlive(Number(pid))));
      await tried.close();
      assert.deepEqual(
        pids.filter((pid) => isAlive(Number(pid))),
        [],
      );
      assert.equal(existsSync(kernelFolder), false);
      assert.equal(existsSync(join(folder, 'left')), true);
    },
  );

  withOwnKernel('closing in the middle of a cell ends it', async ({ tried, run, folder }) => {
    const calling = run('open("pid", "w").write(str(__import__("os").getpid()))\nwhile True: pass', 600);
    await until(() => existsSync(join(folder, 'pid')) && readFileSync(join(folder, 'pid'), 'utf8') !== '');
    await tried.close();
    assert.match((await calling).said, /Python exited unexpectedly/);
    assert.equal(isAlive(Number(readFileSync(join(folder, 'pid'), 'utf8'))), false);
  });

  /** In the middle of a cell with the kernel, between cells with plain Python. */
  const killed = async (plain: boolean) => {
    const folder = join(place.root, `killed${plain}`);
    mkdirSync(folder);
    const program = `
    import { tryTools } from '@longhand/sdk/testing';
    import { ipythonTool } from '${import.meta.resolve('./tool.ts')}';
    const tried = await tryTools(ipythonTool, { folder: ${JSON.stringify(folder)}, params: { plain: ${plain} } });
    const code = 'import os, subprocess; child = subprocess.Popen(["sleep", "600"], start_new_session=True); print(os.getpid(), child.pid, os.environ.get("IPYTHONDIR"))';
    console.log((await tried.call({ code })).said);
    if (!${plain}) await tried.call({ code: 'while True: pass' });
    setInterval(() => undefined, 1_000);
  `;
    const ours = spawn(
      process.execPath,
      ['--conditions=longhand-source', '--input-type=module', '-e', program],
      {
        cwd: import.meta.dirname,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [said] = (await once(ours.stdout, 'data')) as [Buffer];
    const [python = '', child = '', ipython = ''] = said.toString().trim().split(/\s/);
    assert.ok(isAlive(Number(python)) && isAlive(Number(child)) && (plain || existsSync(dirname(ipython))));
    ours.kill('SIGKILL');
    await until(() => !isAlive(Number(python)) && !isAlive(Number(child)));
    await until(() => plain || !existsSync(dirname(ipython)));
  };

  test('a kernel, its folder and the programs of its cells end when Longhand is killed', async (t) => {
    if (place.withKernel === null) return t.skip('needs ipykernel');
    await killed(false);
  });

  test('plain Python ends when Longhand is killed', async (t) => {
    if (place.any === null) return t.skip('needs python3');
    await killed(true);
  });

  withOwnKernel(
    'a model that cannot see is told where an image lies',
    async ({ run }) => {
      const { said, content } = await run(
        `import base64\nfrom IPython.display import Image\nImage(base64.b64decode("${PNG}"))`,
      );
      assert.equal(content.length, 1);
      const [, path = ''] = /^\[image 1\]\n\[image 1 is image\/png, .*; it is in (\S+)\]$/.exec(said) ?? [];
      assert.equal(readFileSync(path).toString('base64'), PNG);
    },
    { vision: false },
  );

  withOwnKernel(
    "our own keys are not the cells'; the project cannot stand before the libraries of the kernel",
    async ({ run, folder }) => {
      for (const name of ['json.py', 'zmq.py', 'select.py'])
        writeFileSync(join(folder, name), 'raise RuntimeError("ours")');
      process.env['LLM_API_KEY'] = 'secret';
      try {
        assert.equal(
          (await run('import os; os.environ.get("LLM_API_KEY"), os.environ["PAGER"]')).said,
          "(None, 'cat')",
        );
      } finally {
        delete process.env['LLM_API_KEY'];
      }
    },
  );

  test('if the intended interpreter lacks ipykernel, another one is used, and the model is told once', async (t) => {
    const { withKernel } = place;
    if (withKernel === null) return t.skip('needs ipykernel');
    const own = join(place.root, 'venv/bin/python');
    execFileSync(withKernel, ['-m', 'venv', '--without-pip', join(place.root, 'venv')]);
    const { tried, run } = await place.open({ params: { python: own } });
    try {
      const { said } = await run('1');
      assert.match(said, /^1\n\[Cells run in .* has no ipykernel; .* cannot be imported\. To get it: .*\]$/);
      assert.ok(
        said.includes(`${withKernel}, because ${own} has`) &&
          said.includes(`\`${own} -m pip install ipykernel\``),
      );
      assert.equal((await run('2')).said, '2');
      assert.match((await run('exit()')).said, /^\[The cell ended Python[^[]*\]$/);
      assert.equal((await run('3')).said, '3');
    } finally {
      await tried.close();
    }
  });

  test('a kernel works over TCP, for systems without sockets in folders', async (t) => {
    const zeromq = await loadZeromq();
    if (place.withKernel === null || zeromq === null) return t.skip('needs ipykernel');
    const workspace = openLocalWorkspace(place.root);
    const { signal } = new AbortController();
    const kernel = await startKernel(workspace, place.withKernel, { zeromq, signal, transport: 'tcp' });
    try {
      assert.deepEqual(await runCell(kernel, 'print(6 * 7)', { timeoutMs: 20_000, signal }), { kind: 'ok' });
      assert.equal(kernel.output.take().text, '42');
    } finally {
      await kernel.close();
      await workspace.close();
    }
  });

  test('a kernel that cannot be reached leaves nothing behind', async (t) => {
    if (place.withKernel === null) return t.skip('needs ipykernel');
    const local = openLocalWorkspace(place.root);
    t.after(() => local.close());
    let ended: Promise<unknown> | undefined;
    const workspace: Workspace = {
      ...local,
      spawn: async (...args) => {
        const started = await local.spawn(...args);
        ended = started.exited;
        return started;
      },
    };
    const zeromq = {
      Dealer: class {
        constructor() {
          throw new Error('too many open files');
        }
      },
    } as never;
    const { signal } = new AbortController();
    await assert.rejects(startKernel(workspace, place.withKernel, { zeromq, signal }), /too many open files/);
    await ended;
  });

  test('a workspace that does not share its files with Longhand gets plain Python', async (t) => {
    if (place.withKernel === null) return t.skip('needs ipykernel');
    const workspace = openLocalWorkspace(place.root);
    const apart = { ...workspace, stat: async () => null };
    const { session, notice } = await startSession(apart, {}, new AbortController().signal);
    try {
      assert.match(
        notice,
        /plain Python .*, because ipykernel cannot be used: this workspace does not share its files/,
      );
    } finally {
      await session.close();
      await workspace.close();
    }
  });

  test('a broken ipykernel leads to plain Python, and the result quotes its error', async (t) => {
    if (place.withKernel === null) return t.skip('needs ipykernel');
    mkdirSync(join(place.root, 'broken/ipykernel'), { recursive: true });
    writeFileSync(join(place.root, 'broken/ipykernel/__init__.py'), 'raise RuntimeError("half installed")');
    const workspace = openLocalWorkspace(place.root);
    const env = { PYTHONPATH: join(place.root, 'broken') };
    const broken: Workspace = {
      ...workspace,
      spawn: (argv, options) => workspace.spawn(argv, { ...options, env: { ...options?.env, ...env } }),
    };
    const { session, notice } = await startSession(broken, {}, new AbortController().signal);
    try {
      assert.match(
        notice,
        /because ipykernel cannot be used: ipykernel ended while starting; its output: [\s\S]*half installed/,
      );
    } finally {
      await session.close();
      await workspace.close();
    }
  });
});
