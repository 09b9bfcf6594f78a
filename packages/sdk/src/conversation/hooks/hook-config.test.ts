import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HookConfig, mergeHooks, parseHookConfig } from './hook-config.ts';

const hooksOf = (config: HookConfig) =>
  Object.fromEntries(
    Object.entries(config).map(([event, groups]) => [event, groups.flatMap(({ hooks }) => hooks)]),
  );
const only = (hook: object) => hooksOf(parseHookConfig({ stop: [{ hooks: [hook] }] }))['Stop']?.[0];

test('events may be written in snake case or as they are stored, and all may stand under one key "hooks"', () => {
  const names = {
    pre_tool_use: 'PreToolUse',
    post_tool_use: 'PostToolUse',
    user_prompt_submit: 'UserPromptSubmit',
    session_start: 'SessionStart',
    session_end: 'SessionEnd',
    stop: 'Stop',
  };
  for (const json of [names, Object.fromEntries(Object.values(names).map((name) => [name, name]))]) {
    const config = Object.fromEntries(Object.keys(json).map((key) => [key, []]));
    assert.deepEqual(Object.keys(parseHookConfig(config)), Object.values(names));
    assert.deepEqual(Object.keys(parseHookConfig({ hooks: config })), Object.values(names));
  }
});

test('a command hook with nothing else said has a minute, is waited for, and fails open', () => {
  const hook = { type: 'command', command: 'make', timeoutMs: 60_000, isAsync: false, failClosed: false };
  assert.deepEqual(only({ command: 'make' }), hook);
  assert.deepEqual(only({ type: 'command', name: 'build', command: 'make', timeout: 2, async: true }), {
    ...hook,
    name: 'build',
    timeoutMs: 2_000,
    isAsync: true,
  });
  assert.deepEqual(
    only({ command: 'make', name: 7, prompt: 7, system_prompt: 'unused', tools: ['unused'] }),
    hook,
  );
  assert.deepEqual(only({ command: 'make', timeout: 86_400 }), { ...hook, timeoutMs: 86_400_000 });
});

test('prompt and agent hooks have their own members', () => {
  const hook = { prompt: 'only tests', timeoutMs: 60_000, isAsync: false, failClosed: false };
  assert.deepEqual(only({ type: 'prompt', prompt: 'only tests', command: '' }), {
    ...hook,
    type: 'prompt',
    command: '',
  });
  assert.deepEqual(only({ type: 'agent', prompt: 'only tests' }), {
    ...hook,
    type: 'agent',
    tools: [],
    maxIterations: 3,
  });
  const more = { system_prompt: 'You check.', tools: ['grep'], max_iterations: 1 };
  assert.deepEqual(only({ type: 'agent', prompt: 'only tests', ...more }), {
    ...hook,
    type: 'agent',
    tools: ['grep'],
    maxIterations: 1,
    systemPrompt: 'You check.',
  });
});

test('fail_closed of the file holds for hooks that do not have their own', () => {
  const config = parseHookConfig({
    fail_closed: true,
    stop: [{ hooks: [{ command: 'a' }, { command: 'b', fail_closed: false }] }],
  });
  assert.deepEqual(
    hooksOf(config)['Stop']?.map(({ failClosed }) => failClosed),
    [true, false],
  );
});

test('a matcher is a name, a pattern or all', () => {
  const matches = (matcher: string | undefined, name: string) =>
    parseHookConfig({ stop: [{ matcher, hooks: [] }] }).Stop?.[0]?.matches(name);
  const cases: readonly (readonly [string | undefined, string, boolean])[] = [
    [undefined, 'x', true],
    ['*', 'x', true],
    ['', 'x', true],
    ['echo', 'echo', true],
    ['echo', 'echo2', false],
    ['/ec.*/', 'echo2', true],
    ['/echo/', 'echo', true],
    ['/echo/', 'echo2', false],
    ['a|b', 'b', true],
    ['a|b', 'ab', false],
    ['a.c', 'abc', true],
  ];
  for (const [matcher, name, expected] of cases)
    assert.equal(matches(matcher, name), expected, `${matcher} ${name}`);
});

test('merging runs the hooks of the first configuration first', () => {
  const one = parseHookConfig({
    stop: [{ hooks: [{ command: 'a' }] }],
    session_end: [{ hooks: [{ command: 'b' }] }],
  });
  const other = parseHookConfig({
    stop: [{ hooks: [{ command: 'c' }] }],
    session_start: [{ hooks: [{ command: 'd' }] }],
  });
  const commands = Object.entries(hooksOf(mergeHooks(one, other))).map(([event, hooks]) => [
    event,
    ...hooks.map(({ command }) => command),
  ]);
  assert.deepEqual(commands, [
    ['Stop', 'a', 'c'],
    ['SessionEnd', 'b'],
    ['SessionStart', 'd'],
  ]);
});

const inStop = (hook: object) => ({ stop: [{ hooks: [hook] }] });

/** Files that are not hooks, and the whole message. */
const WRONG: readonly (readonly [json: unknown, message: string | RegExp])[] = [
  [[], 'the file is no object'],
  [null, 'the file is no object'],
  ['stop', 'the file is no object'],
  [{ hooks: [] }, 'hooks is no object'],
  ...['pre_tool', 'constructor', 'toString', '__proto__'].map(
    (name) =>
      [
        JSON.parse(`{"${name}": []}`),
        `"${name}" is not an event; the events are: pre_tool_use, post_tool_use, user_prompt_submit, session_start, session_end, stop`,
      ] as const,
  ),
  [{ stop: [], Stop: [] }, 'Stop is given twice'],
  [{ stop: {} }, 'stop must be a list'],
  [{ stop: ['make'] }, 'stop[0] is no object'],
  [{ stop: [{ matcher: 7, hooks: [] }] }, 'stop[0].matcher must be a string'],
  [{ stop: [{ matcher: '/(/', hooks: [] }] }, /^stop\[0\]\.matcher: Invalid regular expression/],
  [{ stop: [{}] }, 'stop[0].hooks must be a list'],
  [inStop([]), 'stop[0].hooks[0] is no object'],
  [inStop({ type: 'shell', command: 'x' }), 'stop[0].hooks[0].type must be command, prompt or agent'],
  [inStop({ type: 'command' }), 'stop[0].hooks[0] needs a command'],
  [inStop({ command: '' }), 'stop[0].hooks[0] needs a command'],
  [inStop({ type: 'agent' }), 'stop[0].hooks[0] needs a prompt'],
  [inStop({ type: 'prompt', prompt: '' }), 'stop[0].hooks[0] needs a prompt'],
  [
    inStop({ type: 'prompt', prompt: 'x', command: 'y' }),
    'stop[0].hooks[0]: only a command hook has a command',
  ],
  [inStop({ type: 'agent', prompt: 'x', tools: 'all' }), 'stop[0].hooks[0].tools must be a list of names'],
  [inStop({ type: 'agent', prompt: 'x', tools: [7] }), 'stop[0].hooks[0].tools must be a list of names'],
  ...[0, 'all'].map(
    (max_iterations) =>
      [
        inStop({ type: 'agent', prompt: 'x', max_iterations }),
        'stop[0].hooks[0].max_iterations must be a number above 0',
      ] as const,
  ),
  ...['soon', 0, -1, 3_600_000].map(
    (timeout) =>
      [
        inStop({ command: 'x', timeout }),
        'stop[0].hooks[0].timeout must be a number of seconds, at most 86400',
      ] as const,
  ),
  [inStop({ command: 'x', fail_closed: 'yes' }), 'stop[0].hooks[0].fail_closed must be true or false'],
  [inStop({ command: 'x', async: 'yes' }), 'stop[0].hooks[0].async must be true or false'],
  [inStop({ type: 'prompt', prompt: 'x', async: true }), 'stop[0].hooks[0]: only a command can be async'],
  [{ fail_closed: 1, stop: [] }, 'hooks.fail_closed must be true or false'],
];

for (const [json, message] of WRONG) {
  test(`a file of hooks is refused: ${JSON.stringify(json)}`, () =>
    assert.throws(() => parseHookConfig(json), { name: 'TypeError', message }));
}
