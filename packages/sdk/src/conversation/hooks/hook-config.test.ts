import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHookConfig } from './hook-config.ts';

test('a name that every object inherits is no event', () => {
  for (const name of ['constructor', 'toString', '__proto__'])
    assert.throws(() => parseHookConfig(JSON.parse(`{"${name}": [{"hooks": []}]}`)), {
      message: `"${name}" is not an event; the events are: pre_tool_use, post_tool_use, user_prompt_submit, session_start, session_end, stop`,
    });
});
