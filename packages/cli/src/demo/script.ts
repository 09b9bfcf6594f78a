/** The replies of the demo's scripted model, turn by turn. The tools that it calls are the real ones. */
import { join } from 'node:path';
import type { Script, ScriptedTurn } from '@longhand/sdk/testing';

/** The demo has succeeded if this command succeeds at the end. */
export const TEST_COMMAND = 'node --test --test-reporter=spec';

const DELAY_MS = 250;

const NEW_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { merge } from '../src/intervals.js';

test('an interval inside another one does not shorten it', () => {
  assert.deepEqual(merge([[10, 15], [11, 12]]), [[10, 15]]);
});
`;

/** The script for a repository in `root`; calls of the editor need absolute paths. */
export function demoScript(root: string, hasGit: boolean): Script {
  const file = (path: string) => join(root, path);
  const run = (command: string) => ({ name: 'terminal', arguments: { command } });
  const edit = (fields: { readonly [name: string]: string }) => ({ name: 'file_editor', arguments: fields });
  const plan = (done: number) => ({
    name: 'task_tracker',
    arguments: {
      command: 'plan',
      task_list: ['Reproduce the failure', 'Find the cause', 'Fix it and add a test', 'Run all tests'].map(
        (title, i) => ({ title, status: i < done ? 'done' : i === done ? 'in_progress' : 'todo' }),
      ),
    },
  });

  return turns([
    { text: 'I will run the tests first to see what fails.', tool_calls: [plan(0), run(TEST_COMMAND)] },
    {
      text: 'A call during a workshop ends the workshop early. I will follow the code from the test to the arithmetic.',
      tool_calls: [
        edit({ command: 'view', path: file('src/calendar.js') }),
        edit({ command: 'view', path: file('src/intervals.js') }),
      ],
    },
    {
      text: 'The calendar only converts times. I suspect `merge`: it uses the end of the later interval, even when the earlier one ends later. I will check that in isolation.',
      tool_calls: [
        run(
          `node --input-type=module -e "import { merge } from './src/intervals.js'; console.log(merge([[10, 15], [11, 12]]))"`,
        ),
      ],
    },
    {
      text: '`[10, 15]` and `[11, 12]` become `[10, 12]`: that is the bug. The merged interval must keep the later end.',
      tool_calls: [
        edit({
          command: 'str_replace',
          path: file('src/intervals.js'),
          old_str: 'last[1] = end;',
          new_str: 'last[1] = Math.max(last[1], end);',
        }),
        edit({ command: 'create', path: file('test/intervals.test.js'), file_text: NEW_TEST }),
      ],
    },
    {
      text: 'Now I will run all tests again.',
      tool_calls: [plan(3), run(hasGit ? `git status --short && ${TEST_COMMAND}` : TEST_COMMAND)],
    },
    {
      tool_calls: [
        {
          name: 'finish',
          arguments: {
            message:
              'Fixed. `merge` in src/intervals.js let a short interval cut off a longer one that contains it; it now keeps the later end. The failing calendar test passes, test/intervals.test.js covers the cause itself, and all tests pass.',
          },
        },
      ],
    },
    {
      text: 'This model is a script, and it has no replies left. Resume with --model to continue with a real one.',
    },
  ]);
}

/** Prompts grow from turn to turn, as with a real model. */
function turns(parts: readonly ScriptedTurn[]): Script {
  let promptTokens = 2400;
  return {
    turns: parts.map((part) => {
      const usage = {
        prompt_tokens: promptTokens,
        completion_tokens: Math.ceil(JSON.stringify(part).length / 4),
      };
      promptTokens += usage.completion_tokens + 350;
      return { ...part, usage, delay_ms: DELAY_MS };
    }),
  };
}
