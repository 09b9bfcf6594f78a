/** `longhand config`: what is set, where it comes from, and storing it. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startModelServer } from '@longhand/sdk/testing';
import { makePlace } from '../test-support/command.ts';

test('a model and a key that config stores are used by a run, and neither is shown or readable by others', async (t) => {
  const place = makePlace(t);
  const server = await startModelServer(() => ({
    toolCalls: [{ name: 'finish', arguments: { message: 'done' } }],
  }));
  t.after(() => server.close());
  const path = join(place.home, '.longhand/config.toml');
  const config = (words: readonly string[], input = '') => place.longhand(['config', ...words], { input });
  assert.deepEqual(await config(['model', 'openai/test-model']), {
    code: 0,
    stdout: `${path}\n`,
    stderr: '',
  });
  await config(['base_url', `${server.url}/v1`]);
  await config(['api_key', '-'], 'sk-piped-key\n');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const shown = await config([]);
  assert.match(shown.stdout, /^model +openai\/test-model +from ~\/\.longhand\/config\.toml$/m);
  assert.match(shown.stdout, /^api_key +\*{10} +from ~\/\.longhand\/config\.toml$/m);
  assert.equal((await place.longhand(['--quiet', '-t', 'go'])).stdout, 'done\n');
  assert.equal(server.requests[0]?.headers.authorization, 'Bearer sk-piped-key');
  await config(['api_key', '--unset']);
  assert.doesNotMatch(readFileSync(path, 'utf8'), /api_key/);
});

test('config says where each value comes from, and shows no secret', async (t) => {
  const place = makePlace(t);
  const file = '[llm]\nmodel = "openai/a"\ntimeout = 30\nextra_headers = { "X-Token" = "secret-1" }\n';
  writeFileSync(join(place.work, 'config.toml'), file);
  const env = { LLM_TEMPERATURE: '0.5', OPENAI_API_KEY: 'secret-2' };
  const { code, stdout } = await place.longhand(['config', '--base-url', 'http://u:secret-3@127.0.0.1/v1'], {
    env,
  });
  assert.equal(code, 0);
  assert.doesNotMatch(stdout, /secret/);
  for (const row of [
    /^model +openai\/a +from \.\/config\.toml$/m,
    /^timeout +30 +from \.\/config\.toml$/m,
    /^temperature +0\.5 +from \$LLM_TEMPERATURE$/m,
    /^base_url +http:\/\/\*+@127\.0\.0\.1\/v1 +from the command line$/m,
    /^extra_headers +\{"X-Token":"\*+"\} /m,
    /^api_key +\*+ +from \$OPENAI_API_KEY$/m,
  ])
    assert.match(stdout, row);
});

test('config changes one key of a file that is linked to, and leaves a file alone that it cannot change safely', async (t) => {
  const place = makePlace(t);
  const real = join(place.work, 'dotfiles.toml');
  writeFileSync(real, '# mine\n[core]\nmax_iterations = 5\n');
  chmodSync(real, 0o644);
  mkdirSync(join(place.home, '.longhand'));
  symlinkSync(real, join(place.home, '.longhand/config.toml'));
  assert.equal((await place.longhand(['config', 'timeout', '90'])).code, 0);
  assert.equal(readFileSync(real, 'utf8'), '# mine\n[core]\nmax_iterations = 5\n\n[llm]\ntimeout = 90\n');
  for (const content of ['llm.model = "a"\n', '[llm]\nmodel = """\na"""\n', '[llm\n']) {
    writeFileSync(real, content);
    const { code, stderr } = await place.longhand(['config', 'model', 'b']);
    assert.equal(code, 2, content);
    assert.match(stderr, /change it by hand/);
    assert.equal(readFileSync(real, 'utf8'), content);
  }
});

test('wrong keys and values are refused without quoting a secret', async (t) => {
  const place = makePlace(t);
  const refused = async (...words: string[]) => {
    const { code, stderr } = await place.longhand(['config', ...words]);
    assert.equal(code, 2);
    return stderr;
  };
  assert.match(await refused('modle', 'x'), /\[llm\] has no key "modle"; did you mean model\?/);
  assert.match(await refused('timeout', 'soon'), /timeout must be a number of seconds/);
  assert.match(await refused('extra_headers', '{}'), /is a table; write it into the config file/);
  assert.match(await refused('api_key', '-'), /the value of api_key is empty/);
  assert.match(await refused('--unset'), /--unset needs a key/);
});
