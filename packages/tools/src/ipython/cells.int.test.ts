import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  openPythonPlace,
  PNG,
  type PythonPlace,
  type TriedPython,
  until,
} from '../../test-support/python.ts';

let place: PythonPlace;
/** One kernel for all tests: they leave it as it was. */
let shared: TriedPython;

before(async () => {
  place = await openPythonPlace();
  shared = await place.open();
});
after(async () => {
  await shared.tried.close();
  place.close();
});

function withKernel(name: string, body: (run: TriedPython['run'], folder: string) => Promise<void>) {
  test(name, async (t) => {
    if (place.withKernel === null) return t.skip('needs ipykernel');
    await body(shared.run, shared.folder);
  });
}

withKernel(
  'a result has the printed text and the value of the last expression, or says that there is no output',
  async (run) => {
    assert.equal((await run('print("out"); 6 * 7')).said, 'out\n42');
    assert.equal((await run('x = 1')).said, '[The cell finished without output.]');
    assert.equal((await run('')).said, '[The cell finished without output.]');
    assert.equal((await run('print("ä 😀")')).said, 'ä 😀');
  },
);

withKernel('output is passed on while the cell runs', async (_, folder) => {
  let printed = '';
  const onOutput = (text: string) => {
    printed += text;
    if (printed.includes('first')) writeFileSync(join(folder, 'seen'), '');
  };
  const code =
    'import os, time\nprint("first")\nwhile not os.path.exists("seen"): time.sleep(0.05)\nprint("second")';
  const { said } = await shared.tried.call({ code, timeout: 60 }, { onOutput });
  assert.deepEqual([said, printed], ['first\nsecond', 'first\nsecond\n']);
});

withKernel('a call is stored with its code, output and flags', async (run) => {
  assert.deepEqual((await run('1', 30)).observation, {
    content: [{ cache_prompt: false, type: 'text', text: '1' }],
    is_error: false,
    code: '1',
    timeout: false,
    kind: 'IPythonObservation',
  });
});

withKernel('cells share variables, imports and the working folder', async (run) => {
  await run(
    'import os, math\nradius = 2\nbefore = os.getcwd()\nos.makedirs("inner", exist_ok=True)\nos.chdir("inner")',
  );
  assert.equal(
    (await run('round(math.pi * radius, 2), os.path.relpath(os.getcwd(), before)')).said,
    "(6.28, 'inner')",
  );
  assert.equal((await run('%cd ..')).said, shared.folder);
  assert.equal((await run('os.getcwd() == before')).said, 'True');
});

withKernel('cells start in the workspace and can import its modules', async (run) => {
  writeFileSync(join(shared.folder, 'ours_to_import.py'), 'answer = 42\n');
  assert.equal(
    (await run('import ours_to_import, os; ours_to_import.answer, os.getcwd()')).said,
    `(42, '${shared.folder}')`,
  );
});

withKernel('a failure is a traceback without colours', async (run) => {
  const { said, isError } = await run('def f():\n    return 1 / 0\nf()');
  assert.equal(isError, true);
  assert.match(said, /return 1 \/ 0\n[\s\S]*ZeroDivisionError: division by zero$/);
  assert.ok(!said.includes('\x1b'));
  assert.match(
    (await run('print("before"); raise ValueError("so")')).said,
    /before\n-+\nValueError[\s\S]*ValueError: so$/,
  );
  assert.match((await run('def f(:')).said, /SyntaxError/);
});

withKernel('magics and shell commands run', async (run) => {
  assert.match((await run('%pwd')).said, /^'.*work-1'$/);
  assert.equal((await run('%%bash\nfor i in 1 2; do echo $i; done')).said, '1\n2');
  assert.equal((await run('n = 3\n!seq {n}')).said, '1\n2\n3');
  assert.equal((await run('lines = !echo a; echo b\nlines')).said, "['a', 'b']");
  assert.equal((await run('!printf "\\033[31mred\\033[0m\\n"; exit 7')).said, 'red\n[exit code 7]');
  assert.equal((await run('_exit_code')).said, '7');
  assert.match((await run('len?')).said, /Return the number of items/);
});

withKernel('output of programs and threads is shown', async (run) => {
  for (let cell = 0; cell < 20; cell += 1)
    assert.equal((await run('import os; os.system("echo out; echo err >&2")')).said, 'out\nerr\n0');
  assert.equal(
    (await run('import subprocess, sys\nsubprocess.run(["echo", "passed on"], stdout=sys.stderr).returncode'))
      .said,
    'passed on\n0',
  );
  const kanji = (await run(String.raw`_ = os.system(r"yes 漢 | tr -d '\n' | head -c 200001")`)).said; // three bytes each
  assert.deepEqual([...new Set(kanji.slice(0, 5_000))], ['漢']);
  const late =
    'import threading\ngo = threading.Event()\nt = threading.Thread(target=lambda: (go.wait(), print("from behind")))\nt.start()';
  await run(late);
  assert.equal((await run('go.set(); t.join()')).said, 'from behind');
});

withKernel('top-level await works', async (run) => {
  assert.equal((await run('import asyncio\nasync def f(): return 5\nawait f()')).said, '5');
});

withKernel('asking for input fails at once', async (run) => {
  for (const code of ['input("name? ")', 'import getpass; getpass.getpass()']) {
    const { said, isError } = await run(code);
    assert.equal(isError, true);
    assert.match(said, /EOFError: nobody can answer: put the value into the code$/);
  }
  assert.equal((await run('import sys; sys.stdin.read()')).said, "''");
  assert.match(
    (await run('!read answer; echo "got <$answer>"; cat; read y </dev/tty')).said,
    /^got <>\n.*\/dev\/tty/,
  );
  assert.equal((await run('import subprocess; subprocess.run("cat").returncode')).said, '0');
});

withKernel('images are in the result, numbered in the order of the output', async (run) => {
  const { said, content } = await run(
    `import base64\nfrom IPython.display import Image, display\nprint("before")\ndisplay(Image(base64.b64decode("${PNG}")))\nprint("after")`,
  );
  assert.equal(said, 'before\n[image 1]\nafter');
  assert.deepEqual(content[1], {
    cache_prompt: false,
    type: 'image',
    image_urls: [`data:image/png;base64,${PNG}`],
  });
});

withKernel('a matplotlib figure is one image', async (run) => {
  // The library need not be here: what it does is to hand in a figure that can draw itself.
  const figure = `import base64\nclass Figure:\n    def _repr_png_(self): return base64.b64decode("${PNG}")\n    def __repr__(self): return "<Figure>"\n`;
  const { said, content } = await run(
    `try:\n    import matplotlib.pyplot as plt\n    plt.plot([1, 2])\n    plt.show()\nexcept ModuleNotFoundError:\n    ${figure.trim().replaceAll('\n', '\n    ')}\n    display(Figure())`,
  );
  assert.match(said, /^\[image 1: <Figure.*>\]$/);
  const image = content[1];
  assert.ok(image?.type === 'image' && image.image_urls.length === 1);
  assert.match(image.image_urls[0]!, /^data:image\/png;base64,iVBORw0KGgo/);
});

withKernel('rich values are shown in their most informative form', async (run) => {
  assert.equal((await run('from IPython.display import HTML, Markdown\nHTML("<b>x</b>")')).said, '<b>x</b>');
  assert.equal((await run('Markdown("# x")')).said, '# x');
  assert.match((await run('from IPython.display import JSON\nJSON({"a": [float("nan")]})')).said, /"a"/);
});

withKernel('progress bars, updated displays and cleared output show their last state', async (run) => {
  assert.equal(
    (await run('for i in range(0, 101, 5): print(f"\\r{i} %", end="", flush=True)')).said,
    '100 %',
  );
  assert.equal(
    (await run('from IPython.display import clear_output\nprint(1); clear_output(); print(2)')).said,
    '2',
  );
  assert.equal((await run('h = display("a", display_id=True)\nh.update("b")')).said, "'a'\n'b'");
});

withKernel(
  'a long output is clipped in the middle, and stored whole in the file that the result names',
  async (run) => {
    const { said, observation } = await run('for i in range(200_000): print(i)');
    assert.equal(said.length, 30_000);
    assert.match(said, /^0\n1\n2\n[\s\S]*\n199998\n199999$/);
    const [, path = '', line = ''] =
      /The full output is in (\S+); the cut begins at line (\d+)/.exec(said) ?? [];
    assert.equal(dirname(path), observation!['full_output_save_dir']);
    const whole = readFileSync(path, 'utf8').split('\n');
    assert.equal(whole.length, 200_000);
    assert.ok(said.includes(`\n${whole[Number(line) - 2]}\n`));
  },
);

withKernel('a flood of tens of megabytes is bounded, and the result says so', async (run) => {
  const { said } = await run('print("x" * 40_000_000); print("end")');
  assert.equal(said.length, 30_000);
  assert.match(said, /xxx\nend$/);
  const [, path = ''] = /The first and the last megabytes of the output are in (\S+);/.exec(said) ?? [];
  const kept = readFileSync(path, 'utf8');
  assert.ok(kept.length < 6_000_000);
  assert.match(kept, /\[\d+ characters of output are left out here\]/);
});

withKernel('an endless loop is interrupted at its timeout, and variables are kept', async (run) => {
  await run('kept = 11');
  for (const loop of [
    'while True: pass',
    'import asyncio; await asyncio.sleep(600)',
    '!sleep 600',
    'while True: print("y" * 1000)',
  ]) {
    const { said, observation } = await run(loop, 0.3);
    assert.match(
      said,
      /\[Timed out after 0\.3 seconds\. The cell was interrupted; its effects so far are kept\.\]$/,
    );
    assert.deepEqual([observation!.is_error, observation!['timeout']], [true, true], loop);
    assert.equal((await run('kept')).said, '11', loop);
  }
});

withKernel('an interrupt ends the cell and its programs, and variables are kept', async (run) => {
  const abort = new AbortController();
  const code =
    'import pathlib, subprocess\nmarker = pathlib.Path("running")\nmarker.touch()\nsubprocess.run(["sleep", "600"])';
  const calling = shared.tried.call({ code }, { signal: abort.signal });
  await until(() => existsSync(join(shared.folder, 'running')));
  abort.abort();
  assert.match((await calling).said, /\[The run was interrupted\. The cell was interrupted; its effects/);
  assert.equal((await run('marker.name')).said, "'running'");
});

withKernel(
  'an interrupt that arrives before the kernel starts the cell takes effect then, and variables are kept',
  async (run) => {
    await run('kept = 12');
    for (const seconds of [0.000_001, 0.001, 0.003, 0.005]) {
      assert.match((await run('while True: pass', seconds)).said, /The cell was interrupted; its effects/);
      assert.equal((await run('kept')).said, '12', String(seconds));
    }
  },
);

withKernel('sys.exit is an error, and Python keeps running', async (run) => {
  await run('stays = 1');
  const { said, isError } = await run('import sys; sys.exit(3)');
  assert.equal(isError, true);
  assert.match(said, /SystemExit: 3/);
  assert.equal((await run('stays')).said, '1');
});

withKernel("V0's skills are predefined, and hidden from the list of variables", async (run, folder) => {
  writeFileSync(join(folder, 'one.txt'), 'first\n');
  assert.equal((await run('open_file("one.txt")')).said.split('\n')[2], '1|first');
  assert.doesNotMatch((await run('%who function')).said, /open_file/);
  assert.equal((await run('import agentskills; agentskills.open_file is open_file')).said, 'True');
});

withKernel(
  'an interrupt while Python is starting leaves nothing behind, and the next cell starts a new one',
  async () => {
    const kept = process.env['TMPDIR'];
    const temporary = join(place.root, 'temporary');
    mkdirSync(temporary);
    process.env['TMPDIR'] = temporary;
    const { tried, run } = await place.open();
    try {
      const abort = new AbortController();
      const calling = tried.call({ code: '1' }, { signal: abort.signal });
      await until(() => readdirSync(temporary).length > 0);
      abort.abort();
      assert.match((await calling).said, /user interrupted this call/);
      assert.deepEqual(readdirSync(temporary), []);
      assert.equal((await run('2')).said, '2');
    } finally {
      if (kept === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = kept;
      await tried.close();
    }
    assert.deepEqual(readdirSync(temporary), []);
  },
);

test('an invalid call is refused with the reason', async () => {
  for (const [args, wrong] of [
    [{}, /code/],
    [{ code: '1', timeout: -1 }, /timeout/],
    [{ code: 5 }, /code/],
    [{ code: 'a\0b' }, /NUL characters/],
  ] as const) {
    const { said, isError, observation } = await shared.tried.call(args);
    assert.equal(isError, true);
    assert.equal(observation, undefined);
    assert.match(said, wrong);
  }
});
