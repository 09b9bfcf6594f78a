import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { tryTools } from '@longhand/sdk/testing';
import { openPythonPlace, type PythonPlace } from '../../test-support/python.ts';
import { ipythonTool } from './tool.ts';

const SKILLS = `import json
_cache = {}

def _hidden():
    return 1

def shout(text):
    """Returns the text in capitals."""
    return text.upper() + str(_hidden())

async def later(): pass

class Counter:
    pass

LIMIT = 3
`;

let place: PythonPlace;
let folder: string;
before(async () => {
  place = await openPythonPlace();
  folder = join(place.root, 'plugins');
  mkdirSync(folder);
  writeFileSync(join(folder, 'skills.py'), SKILLS);
  writeFileSync(
    join(folder, 'json.py'),
    `__all__ = ['listed', "VALUE"]\nVALUE = 7\ndef listed(): return VALUE\ndef unlisted(): pass\n`,
  );
  writeFileSync(join(folder, 'broken.py'), `raise ValueError('not today')\n`);
});
after(() => place.close());

for (const plain of [true, false]) {
  const where = plain ? 'plain Python' : 'the kernel';
  test(`own functions are ready to call in ${where}, and no other name of their files is`, async (t) => {
    if ((plain ? place.any : place.withKernel) === null) return t.skip('needs Python');
    const sandbox_plugins = ['agent_skills', 'jupyter', join(folder, 'skills.py'), join(folder, 'json.py')];
    const { tried, run } = await place.open({ params: { plain, sandbox_plugins } });
    t.after(() => tried.close());
    assert.match(tried.tools[0]?.description ?? '', /parse_latex, shout, later, Counter, listed, VALUE\./);
    assert.match(
      (await run('shout("a"), listed(), VALUE, callable(open_file)')).said,
      /^\('A1', 7, 7, True\)/,
    );
    assert.equal((await run('import json; json.dumps(Counter().__class__.__name__)')).said, `'"Counter"'`);
    const names = (await run('" ".join(sorted(n for n in dir() if not n.startswith("_")))')).said;
    assert.doesNotMatch(names, /define|hidden|LIMIT|unlisted|cache|plugins|paths/);
  });
}

test('without agent_skills, cells have none of its functions, and the description names none', async (t) => {
  if (place.any === null) return t.skip('needs Python');
  const { tried, run } = await place.open({ params: { plain: true, sandbox_plugins: ['jupyter'] } });
  t.after(() => tried.close());
  assert.doesNotMatch(tried.tools[0]?.description ?? '', /open_file|Predefined/);
  assert.match((await run('open_file')).said, /NameError/);
  assert.match((await run('import agentskills')).said, /ModuleNotFoundError/);
});

test('a plugin that fails is reported with the first result, and cells run', async (t) => {
  if (place.any === null) return t.skip('needs Python');
  const sandbox_plugins = [join(folder, 'broken.py')];
  const { tried, run } = await place.open({ params: { plain: true, sandbox_plugins } });
  t.after(() => tried.close());
  const first = await run('1 + 1');
  assert.match(first.said, /^2\n[\s\S]*sandbox_plugins are not defined[\s\S]*ValueError: not today/);
  assert.deepEqual([first.isError, (await run('dir().count("define")')).said], [false, '0']);
});

test('an unknown plugin and a missing file are errors when the tool is created', async () => {
  const attempt = (name: string) => tryTools(ipythonTool, { folder, params: { sandbox_plugins: [name] } });
  await assert.rejects(attempt('agent_skill'), /no plugin "agent_skill"; available: agent_skills, jupyter/);
  await assert.rejects(attempt('none.py'), /none\.py cannot be read/);
  const tried = await attempt('vscode');
  assert.match(tried.warnings.join(), /vscode is not supported/);
  await tried.close();
});
