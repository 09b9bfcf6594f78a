import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { textOf } from '../../event/content.ts';
import { scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import { openLocalWorkspace } from '../../workspace/local-workspace.ts';
import type { Hook } from './hook-config.ts';
import { type HookDeps, type HookResult, runHook } from './run-hook.ts';

const folder = mkdtempSync(join(tmpdir(), 'longhand-hook-'));
const workspace = openLocalWorkspace(folder);
after(() => rmSync(folder, { recursive: true, force: true }));

const INPUT = {
  event_type: 'PreToolUse',
  tool_name: null,
  tool_input: null,
  tool_response: null,
  message: null,
  session_id: 'the session',
  working_dir: folder,
  metadata: {},
};
const HOOK: Hook = { type: 'command', timeoutMs: 60_000, isAsync: false, failClosed: false };

async function run(hook: Partial<Hook>, deps: Partial<HookDeps> = {}): Promise<HookResult> {
  return await runHook({ ...HOOK, ...hook }, INPUT, {
    workspace,
    llm: () => Promise.reject(new Error('no model')),
    investigate: () => Promise.reject(new Error('no agent')),
    signal: new AbortController().signal,
    ...deps,
  });
}

/** Commands, and what is stored of them beside what they print. */
const COMMANDS: readonly (readonly [command: string, result: Partial<HookResult>])[] = [
  [
    'echo out; echo err >&2',
    { success: true, blocked: false, exitCode: 0, stdout: 'out\n', stderr: 'err\n' },
  ],
  ['exit 3', { success: false, blocked: false, exitCode: 3 }],
  ['kill -9 $$', { success: false, blocked: false, exitCode: -1 }],
  ['exit 2', { success: false, blocked: true, exitCode: 2, reason: 'refused by a hook' }],
  [
    'echo " " >&2; exit 2',
    { success: false, blocked: true, exitCode: 2, stderr: ' \n', reason: 'refused by a hook' },
  ],
  ['echo no >&2; exit 2', { success: false, blocked: true, exitCode: 2, stderr: 'no\n', reason: 'no' }],
  [`printf '{"decision":"block"}'`, { success: true, blocked: true, reason: 'refused by a hook' }],
  [`printf '{"decision":"DENY","reason":"why"}'`, { success: true, blocked: true, reason: 'why' }],
  [`printf '{"decision":"deny","reason":""}'`, { success: true, blocked: true, reason: 'refused by a hook' }],
  [`printf '{"decision":"denied"}'`, { success: true, blocked: false }],
  [`printf '{"continue":false,"reason":"why"}'`, { success: true, blocked: true, reason: 'why' }],
  [`printf '{"continue":true}'`, { success: true, blocked: false }],
  [`printf '{"additionalContext":"more"}'`, { success: true, blocked: false, additionalContext: 'more' }],
  [`printf '{"additionalContext":""}'`, { success: true, blocked: false }],
  [`printf '{"additionalContext":7,"reason":7}'`, { success: true, blocked: false }],
  ['printf null', { success: true, blocked: false }],
  [
    `printf '{"additionalContext":"more","reason":"why"}'; exit 2`,
    { success: false, blocked: true, exitCode: 2, reason: 'why', additionalContext: 'more' },
  ],
];

for (const [command, result] of COMMANDS) {
  test(`a command hook: ${command}`, async () => {
    const { stdout, stderr, ...rest } = await run({ command });
    const { stdout: out = stdout, stderr: err = '', ...expected } = result;
    assert.deepEqual({ stdout, stderr, ...rest }, { exitCode: 0, stdout: out, stderr: err, ...expected });
  });
}

test('a command that takes too long has failed, with what it printed until then', async () => {
  assert.deepEqual(await run({ command: 'echo begun; sleep 60', timeoutMs: 300 }), {
    success: false,
    blocked: false,
    exitCode: -1,
    stdout: 'begun\n',
    stderr: '',
    error: 'the hook took longer than 0.3 s',
  });
});

test('long output is stored with its middle left out', async () => {
  const { stdout, stderr } = await run({ command: 'seq 20000; seq 20000 >&2' });
  for (const words of [stdout, stderr]) {
    assert.ok(words.length <= 50_000 && words.length > 49_000);
    assert.match(words, /^1\n2\n.*\n\[\.\.\.\]\n.*19999\n20000\n$/s);
  }
});

test('a command does not see the keys of the model and of the session, but knows the event by environment variables', async () => {
  process.env['LLM_API_KEY'] = 'key';
  process.env['SESSION_API_KEY'] = 'key';
  try {
    const { stdout } = await run({
      command:
        'env | grep -E "^(LLM_API_KEY|SESSION_API_KEY|(LONGHAND|OPENHANDS)_(PROJECT_DIR|SESSION_ID|EVENT_TYPE|TOOL_NAME))" | sort',
    });
    const names = { EVENT_TYPE: 'PreToolUse', PROJECT_DIR: folder, SESSION_ID: 'the session', TOOL_NAME: '' };
    const lines = ['LONGHAND', 'OPENHANDS'].flatMap((prefix) =>
      Object.entries(names).map(([name, value]) => `${prefix}_${name}=${value}\n`),
    );
    assert.equal(stdout, lines.join(''));
  } finally {
    delete process.env['LLM_API_KEY'];
    delete process.env['SESSION_API_KEY'];
  }
});

test('a hook that cannot run has failed with the reason, and refuses if it fails closed', async () => {
  const failed = { success: false, blocked: false, exitCode: -1, stdout: '', stderr: '', error: 'no model' };
  assert.deepEqual(await run({ type: 'prompt', prompt: 'only tests' }), failed);
  assert.deepEqual(await run({ type: 'prompt', prompt: 'only tests', failClosed: true }), {
    ...failed,
    blocked: true,
    reason: 'no model',
  });
  assert.deepEqual(await run({ command: 'exit 3', failClosed: true }), {
    success: false,
    blocked: true,
    exitCode: 3,
    stdout: '',
    stderr: '',
    reason: 'the hook failed with exit code 3',
  });
});

test('a model judges by the policy and the event, and may put its answer in a code fence', async () => {
  const asked: string[] = [];
  const judge = async (answer: string, type: 'prompt' | 'agent' = 'prompt') => {
    const model = scriptedLlm({ turns: [{ text: answer }] });
    const llm = {
      ...model,
      complete: (...args: Parameters<typeof model.complete>) => {
        asked.push(...args[0].messages.map(({ role, content }) => `${role}: ${textOf(content)}`));
        return model.complete(...args);
      },
    };
    const investigate = async (_: Hook, prompt: string) => {
      asked.push(`agent: ${prompt}`);
      return answer;
    };
    return await run({ type, prompt: 'only tests' }, { llm: async () => llm, investigate });
  };
  const allowed = { success: true, blocked: false, exitCode: 0, stderr: '' };
  for (const type of ['prompt', 'agent'] as const) {
    assert.deepEqual(await judge('{"decision":"allow"}', type), {
      ...allowed,
      stdout: '{"decision":"allow"}',
    });
    assert.deepEqual(await judge('```json\n{"decision":"deny","reason":"why"}\n```', type), {
      ...allowed,
      blocked: true,
      stdout: '{"decision":"deny","reason":"why"}',
      reason: 'why',
    });
    assert.deepEqual(await judge('Well.', type), {
      ...allowed,
      success: false,
      stdout: 'Well.',
      error: `the ${type} hook returned no verdict`,
    });
  }
  const question = `<POLICY>\nonly tests\n</POLICY>\n\n<EVENT>\n${JSON.stringify(INPUT)}\n</EVENT>`;
  assert.ok(asked[0]?.startsWith('user: ') && asked[0].endsWith(question));
  assert.ok(asked[3]?.startsWith('agent: ') && asked[3].endsWith(question));
});

test('an abort rejects with its reason, before or during the hook', async () => {
  const reason = new Error('interrupted');
  await assert.rejects(run({ command: 'sleep 60' }, { signal: AbortSignal.abort(reason) }), reason);
  const controller = new AbortController();
  const running = run({ command: 'sleep 60' }, { signal: controller.signal });
  controller.abort(reason);
  await assert.rejects(running, reason);
});
