import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makePlace } from '../test-support/command.ts';

test('the demo needs no key, says that the model is a script, shows the diff and the passing tests, and can be resumed', async (t) => {
  const place = makePlace(t);
  const { code, stdout, stderr } = await place.longhand(['demo']);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^The model in this demo is a script/);
  const order = [
    'ℹ fail 1',
    '-    if (last !== undefined',
    '+    if (last !== undefined',
    'ℹ fail 0',
    'finished after',
    'longhand --resume',
  ];
  const places = order.map((text) => stdout.indexOf(text));
  assert.ok(!places.includes(-1), stdout);
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );

  const [, id = ''] = /longhand show ([0-9a-f]+)/.exec(stdout) ?? [];
  const resumed = await place.longhand(['--quiet', '--resume', id, '-t', 'and now?']);
  assert.equal(resumed.code, 0);
  assert.match(resumed.stdout, /^This model is a script/);
});

test('the demo works without git', async (t) => {
  const place = makePlace(t);
  const bin = join(place.work, 'bin');
  mkdirSync(bin);
  symlinkSync('/bin/bash', join(bin, 'bash'));
  const { code, stdout } = await place.longhand(['demo', '--quiet'], { env: { PATH: bin } });
  assert.equal(code, 0);
  assert.match(stdout, /^Fixed\./);
  const temporary = join(place.home, '..');
  const [folder = ''] = readdirSync(temporary).filter((name) => name.startsWith('longhand-demo-'));
  assert.deepEqual(readdirSync(join(temporary, folder, 'free-time')).toSorted(), [
    'README.md',
    'package.json',
    'src',
    'test',
  ]);
});

test('the demo works with calls that are written as text', async (t) => {
  const { code, stdout } = await makePlace(t).longhand(['demo', '--json'], {
    env: { LLM_NATIVE_TOOL_CALLING: 'false' },
  });
  assert.equal(code, 0);
  const ids = [...stdout.matchAll(/"tool_call_id":"(\w+)"/g)].map(([, id]) => id);
  assert.ok(ids.length > 0 && ids.every((id) => id?.startsWith('toolu_')));
});
