/** The engine learns about tools from their traits (`ToolTraits`), never from their names. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { builtinTools } from './index.ts';

const ENGINE = join(import.meta.dirname, '../../sdk/src');

/** By the name of a file, the quoted words that are no name of a tool, or have to be one. */
const ALLOWED: { readonly [file: string]: { readonly words: readonly string[]; readonly why: string } } = {
  'condense.ts': { words: ['view'], why: 'a kind of result' },
  'condenser.ts': { words: ['view'], why: 'a kind of result' },
  'checkpoint.ts': { words: ['view'], why: 'a member' },
  'skill.ts': { words: ['task'], why: 'a type of trigger' },
  'delegate.ts': { words: ['task'], why: 'a tag' },
  'action.ts': {
    words: [
      ...['FinishTool', 'ThinkTool', 'TerminalTool', 'FileEditorTool', 'TaskTrackerTool', 'TaskTool'],
      ...['EditFileTool', 'RequestCondensationTool', 'InvokeSkillTool'],
    ],
    why: 'kinds that programs interpret, which a foreign tool of such a name must not take',
  },
  'agent-wire.ts': {
    words: ['FinishTool', 'ThinkTool'],
    why: "the reference's base_state.json lists these two by class",
  },
  'confirmation.ts': {
    words: ['FinishAction', 'ThinkAction'],
    why: "the reference's policies exempt these two classes",
  },
  'transport.ts': { words: ['fetch'], why: 'a member' },
  'read-stream.ts': { words: ['finish'], why: 'a part of a stream' },
  'to-completion.ts': { words: ['finish'], why: 'a field of a completion' },
  'control-state.ts': { words: ['finish'], why: "a reason of V0's" },
  'example.ts': {
    words: [
      'terminal',
      'execute_bash',
      'file_editor',
      'str_replace_editor',
      'task_tracker',
      'browser',
      'finish',
    ],
    why: 'one example across several tools, told to models without native tool calls; it uses those that are there',
  },
};

test('no file of the engine names a built-in tool', () => {
  const names = ['task', ...builtinTools.map(({ name }) => name)].filter((name) => name !== 'mcp');
  const stems = names.map((name) =>
    name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase()),
  );
  const named = new RegExp(
    `['"](${names.join('|')}|(?:${stems.join('|')})(?:Tool|Action|Observation))['"\`]`,
    'g',
  );
  const files = globSync('**/*.ts', { cwd: ENGINE }).filter(
    (path) => !/^(trajectory|testing)\/|\.test\.ts$/.test(path),
  );
  assert.ok(files.length > 100);
  const found = files.flatMap((path) => {
    const code = readFileSync(join(ENGINE, path), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    const words = [...code.matchAll(named)].map(([, word = '']) => word);
    const own = words.filter((word) => ALLOWED[basename(path)]?.words.includes(word) !== true);
    return own.map((word) => `${path} names ${word}`);
  });
  assert.deepEqual(found, []);
});
