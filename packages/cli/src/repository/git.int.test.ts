import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { GitError, git, gitEnvironment } from './git.ts';

test('git never asks: no terminal, no helper, and tokens go to their hosts only', () => {
  const env = gitEnvironment({
    GITHUB_TOKEN: 'gh',
    BITBUCKET_TOKEN: 'bb',
    GIT_CONFIG_COUNT: '1',
    GIT_DIR: '/elsewhere',
    GIT_INDEX_FILE: 'x',
  });
  const { GIT_TERMINAL_PROMPT, GIT_DIR, GIT_INDEX_FILE, GIT_CONFIG_COUNT, GIT_SSH_COMMAND } = env;
  assert.deepEqual(
    [GIT_TERMINAL_PROMPT, GIT_DIR, GIT_INDEX_FILE, GIT_CONFIG_COUNT, GIT_SSH_COMMAND],
    ['0', undefined, undefined, '3', 'ssh -oBatchMode=yes'],
  );
  const header = (login: string) => `Authorization: Basic ${Buffer.from(login).toString('base64')}`;
  assert.deepEqual(
    [1, 2].map((i) => [env[`GIT_CONFIG_KEY_${i}`], env[`GIT_CONFIG_VALUE_${i}`]]),
    [
      ['http.https://github.com/.extraHeader', header('x-access-token:gh')],
      ['http.https://bitbucket.org/.extraHeader', header('x-token-auth:bb')],
    ],
  );
});

test('an error of git is reported in one line; an interrupt is not reported as an error', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-git-'));
  t.after(() => rmSync(folder, { recursive: true }));
  await assert.rejects(
    git(['rev-parse', '--verify', 'x'], { cwd: folder }),
    (error) => error instanceof GitError && /^not a git repository/.test(error.message),
  );
  await assert.rejects(git(['status'], { cwd: join(folder, 'no') }), GitError);
  const stop = new AbortController();
  stop.abort();
  await assert.rejects(git(['--version'], { signal: stop.signal }), { name: 'AbortError' });
});
