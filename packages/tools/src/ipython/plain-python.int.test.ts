import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openLocalWorkspace, ToolError, type Workspace } from '@longhand/sdk';
import { tryTools } from '@longhand/sdk/testing';
import {
  isAlive,
  openPythonPlace,
  type PythonPlace,
  type TriedPython,
  until,
} from '../../test-support/python.ts';
import { runCell } from './session.ts';
import { startSession } from './start-session.ts';
import { ipythonTool } from './tool.ts';

let place: PythonPlace;
/** One Python for all tests that leave it as it was. */
let shared: TriedPython;

before(async () => {
  place = await openPythonPlace();
  shared = await place.open({ params: { plain: true } });
  if (place.any !== null) await shared.run('');
});
after(async () => {
  await shared.tried.close();
  place.close();
});

function withPython(name: string, body: (run: TriedPython['run'], folder: string) => Promise<void>) {
  test(name, async (t) => {
    if (place.any === null) return t.skip('needs python3');
    await body(shared.run, shared.folder);
  });
}

withPython('plain: output, the value of the last expression, state across cells', async (run) => {
  assert.equal((await run('print("ä"); 6 * 7')).said, 'ä\n42');
  assert.equal((await run('x = [1]\ndef f():\n    return x')).said, '[The cell finished without output.]');
  assert.equal((await run('x.append(2)\nf()')).said, '[1, 2]');
  assert.equal((await run('None')).said, '[The cell finished without output.]');
  assert.equal((await run('import os; os.system("echo out; echo err >&2")')).said, 'out\nerr\n0');
});

withPython('plain: cells start in the workspace and can import its modules', async (run, folder) => {
  writeFileSync(join(folder, 'ours_to_import.py'), 'answer = 42\n');
  assert.equal(
    (await run('import os, ours_to_import; ours_to_import.answer, os.getcwd()')).said,
    `(42, '${folder}')`,
  );
});

withPython('plain: a traceback shows the lines of the cell only', async (run) => {
  const { said, isError } = await run('def f():\n    return 1 / 0\nf()');
  assert.equal(isError, true);
  assert.match(
    said,
    /Traceback.*\n {2}File "<cell \d+>", line 3, in <module>\n {4}f\(\)\n(.*\n)* {4}return 1 \/ 0\n(.*\n)?ZeroDivisionError: division by zero$/,
  );
  assert.doesNotMatch(said, /<string>/);
  assert.match((await run('def f(:')).said, /SyntaxError/);
  assert.match((await run('import sys; sys.exit(3)')).said, /SystemExit: 3$/);
});

withPython('plain: asking for input fails at once', async (run) => {
  for (const code of ['input("name? ")', 'import getpass; getpass.getpass()'])
    assert.match((await run(code)).said, /EOFError: nobody can answer: put the value into the code$/);
  assert.equal((await run('import sys; sys.stdin.read()')).said, "''");
});

withPython('plain: a long output is clipped, and stored in the file that the result names', async (run) => {
  const { said } = await run('for i in range(200_000): print(i)');
  assert.equal(said.length, 30_000);
  const [, path = ''] = /The full output is in (\S+);/.exec(said) ?? [];
  assert.equal(readFileSync(path, 'utf8').split('\n').length, 200_000);
});

withPython('plain: what looks like the end of a cell is output', async (run) => {
  const fakes = [
    'print("\\x1e" + "0" * 32 + \'{"status": "ok"}\')',
    'print(chr(30), end="")',
    'print(chr(30) * 3)',
  ];
  for (const fake of fakes) assert.match((await run(`${fake}\nprint("after")`)).said, /after$/);
});

withPython(
  'plain: a cell that prints the start of a report hides neither its output nor its end',
  async (run) => {
    const opening = 'open("/proc/self/cmdline").read().split(chr(0))[-2]';
    for (const more of ['', 'x', '{"status": "maybe"}\\n', `y${'z'.repeat(200)}\\n`]) {
      const { said, isError } = await run(`print(chr(30) + ${opening} + '${more}', end='')\nprint("after")`);
      assert.match(said, /after$/);
      assert.equal(isError, false);
    }
  },
);

withPython('plain: the child of a forking cell ends with the cell and reports nothing', async (run) => {
  for (const end of ['', 'raise SystemExit', 'raise ValueError("of the child")']) {
    const code = `import os\npid = os.fork()\nif pid == 0:\n    pass; ${end}\nelse:\n    os.waitpid(pid, 0); print("parent")`;
    const { said, isError } = await run(code);
    assert.equal(isError, false, said);
    assert.match(said, /parent$/);
    assert.equal((await run('"next"')).said, "'next'");
  }
});

withPython('plain: an interrupt that arrives before the cell starts takes effect then', async (run) => {
  await run('kept = 12');
  for (const seconds of [0.000_001, 0.001, 0.002]) {
    assert.match((await run('while True: pass', seconds)).said, /The cell was interrupted; its effects/);
    assert.equal((await run('kept')).said, '12', String(seconds));
  }
});

withPython('plain: an endless loop is interrupted, variables are kept', async (run) => {
  await run('kept = 11');
  for (const loop of ['while True: pass', 'import time; time.sleep(600)', 'while True: print("y" * 1000)']) {
    assert.match(
      (await run(loop, 0.2)).said,
      /\[Timed out after 0\.2 seconds\. The cell was interrupted; its effects/,
    );
    assert.equal((await run('kept')).said, '11', loop);
  }
});

withPython(
  'plain: exit() and a crash are reported, the next cell has a new Python, and closing leaves nothing behind',
  async () => {
    const { tried, run, folder } = await place.open({ params: { plain: true } });
    try {
      assert.match(
        (await run('x = 1')).said,
        /^\[The cell finished.*\]\n\[Cells run in plain Python \(.*\), as configured\. State is kept, but/,
      );
      assert.match((await run('exit()')).said, /^\[The cell ended Python\. Variables are lost[^[]*\]$/);
      assert.match((await run('x')).said, /NameError/);
      assert.match(
        (await run('import os; os._exit(4)')).said,
        /^\[An error.*\]\n\n\[Python exited unexpectedly \(exit code 4\)/,
      );
      assert.match(
        (await run('import ctypes; ctypes.string_at(0)')).said,
        /Segmentation fault[\s\S]*\[Python exited unexpectedly \(SIGSEGV\)/,
      );
      const code =
        'import os, subprocess\nchild = subprocess.Popen(["sleep", "600"], start_new_session=True)\nprint(os.getpid(), child.pid)';
      const pids = (await run(code)).said.split(' ').map(Number);
      assert.ok(pids.every(isAlive));
      const calling = run('open("begun", "w")\nwhile True: pass', 600);
      await until(() => existsSync(join(folder, 'begun')));
      await tried.close();
      assert.match((await calling).said, /Python exited unexpectedly/);
      assert.deepEqual(pids.filter(isAlive), []);
    } finally {
      await tried.close();
    }
  },
);

test('without a folder, clipped output is lost and no file is named', async (t) => {
  if (place.any === null) return t.skip('needs python3');
  const tried = await tryTools(ipythonTool, { folder: place.root, params: { plain: true } });
  try {
    const { said, observation } = await tried.call({ code: 'print("x" * 50_000)' });
    assert.equal(said.indexOf('\n[Cells'), 30_000);
    assert.match(said, /^x+\n<response clipped>\nx+\n\[Cells run/);
    assert.equal('full_output_save_dir' in (observation ?? {}), false);
  } finally {
    await tried.close();
  }
});

/** A workspace on a machine that has but the interpreters in `folder`. */
function machineWith(folder: string, body: (workspace: Workspace) => Promise<void>) {
  const local = openLocalWorkspace(folder);
  const workspace: Workspace = {
    ...local,
    spawn: (argv, options) =>
      local.spawn(argv[0]?.startsWith(folder) === true ? argv : ['/nonexistent/python'], options),
  };
  return body(workspace).finally(() => local.close());
}

test('without ipykernel, cells run in plain Python, and the result says how to install it', async (t) => {
  if (place.any === null) return t.skip('needs python3');
  const folder = join(place.root, 'bare');
  execFileSync(place.any, ['-m', 'venv', '--without-pip', join(folder, '.venv')]);
  await machineWith(folder, async (workspace) => {
    const { signal } = new AbortController();
    const { session, notice } = await startSession(workspace, {}, signal);
    try {
      const python = join(folder, '.venv/bin/python');
      assert.ok(
        notice.startsWith(
          `[Cells run in plain Python (${python}), because it has no ipykernel. To get it: \`${python} -m pip install ipykernel\`, or`,
        ),
      );
      assert.match(notice, /magics, !commands and images are not available\.\]$/);
      for (const code of ['x = 20', 'print(x + 1)']) {
        assert.deepEqual(await runCell(session, code, { timeoutMs: 20_000, signal }), { kind: 'ok' });
      }
      assert.equal(session.output.take().text, '21');
    } finally {
      await session.close();
    }
  });
});

test('without Python, the cell is refused, and the error says how to install it', async () => {
  const folder = join(place.root, 'empty');
  mkdirSync(folder);
  await machineWith(folder, async (workspace) => {
    await assert.rejects(startSession(workspace, {}, new AbortController().signal), (error: Error) => {
      assert.ok(error instanceof ToolError);
      assert.match(
        error.message,
        /^Python is not installed, so the cell was not run\.\n.*apt-get install python3-ipykernel/,
      );
      return true;
    });
  });
});
