import type { ToolSchema } from '../llm.ts';
import { type TextCall, writeCall } from './grammar.ts';

interface Scene {
  /** The tools of which one must be there; the first that is, is shown. */
  readonly tools: readonly string[];
  readonly says: string;
  call(tool: string): TextCall;
  readonly result: string;
}

const SCRIPT = `import collections
import sys

counts = collections.Counter(sys.stdin.read().split())
for word, count in counts.most_common(3):
    print(count, word)`;

const TERMINAL = ['terminal', 'execute_bash', 'bash'];
const EDITOR = ['file_editor', 'str_replace_editor'];

const SCENES: readonly Scene[] = [
  {
    tools: TERMINAL,
    says: 'I will list the files first.',
    call: (name) => ({ name, args: { command: 'ls' } }),
    result: 'poem.txt',
  },
  {
    tools: ['task_tracker'],
    says: 'The task has two parts. I will write them to the task list.',
    call: (name) => ({
      name,
      args: {
        command: 'plan',
        task_list: [
          { title: 'Write the script', status: 'in_progress' },
          { title: 'Run it on poem.txt', status: 'todo' },
        ],
      },
    }),
    result: 'The task list has 2 tasks.',
  },
  {
    tools: EDITOR,
    says: 'I will write the script.',
    call: (name) => ({ name, args: { command: 'create', path: '/workspace/count.py', file_text: SCRIPT } }),
    result: 'File created: /workspace/count.py',
  },
  {
    tools: TERMINAL,
    says: 'I will run it on the poem.',
    call: (name) => ({ name, args: { command: 'python3 count.py < poem.txt' } }),
    result: '9 the\n5 and\n4 sea',
  },
  {
    tools: ['browser_navigate', 'browser'],
    says: 'I will compare the poem with its source page.',
    call: (name) =>
      name === 'browser'
        ? { name, args: { code: 'goto("http://localhost:8000/poem")' } }
        : { name, args: { url: 'http://localhost:8000/poem' } },
    result: 'The page shows the same poem.',
  },
  {
    tools: EDITOR,
    says: 'The task asks for five words, not three. I will change that line.',
    call: (name) => ({
      name,
      args: {
        command: 'str_replace',
        path: '/workspace/count.py',
        old_str: 'most_common(3)',
        new_str: 'most_common(5)',
      },
    }),
    result: 'The file /workspace/count.py has been edited.',
  },
  {
    tools: TERMINAL,
    says: 'I will run it again to verify the change.',
    call: (name) => ({ name, args: { command: 'python3 count.py < poem.txt | wc -l' } }),
    result: '5',
  },
];

const TASK =
  'Write a Python script count.py that prints the five most frequent words of its input. Test it with poem.txt.';

/** A worked example of a task, solved with those of the tools that it knows; null if it knows none of them. */
export function example(
  tools: readonly ToolSchema[],
): { readonly before: string; readonly after: string } | null {
  const names = new Set(tools.map(({ name }) => name));
  const scenes = SCENES.flatMap((scene) => {
    const tool = scene.tools.find((name) => names.has(name));
    return tool === undefined ? [] : [sceneLines(scene, scene.call(tool))];
  });
  if (scenes.length === 0) return null;
  const end = names.has('finish')
    ? `ASSISTANT:\nThe script works.\n\n${writeCall({ name: 'finish', args: { message: 'count.py prints the five most frequent words of its input; tested with poem.txt.' } })}`
    : 'ASSISTANT:\nThe script count.py works; I tested it with poem.txt.';
  const before = `This example shows how to work on a task.

==== START OF EXAMPLE ====

USER: ${TASK}

${[...scenes, end].join('\n\n')}

==== END OF EXAMPLE ====

This is the end of the example. Its files and results do not exist here.

==== NEW TASK ====

`;
  return {
    before,
    after: '\n\n==== END OF TASK ====\n',
  };
}

function sceneLines({ says, result }: Scene, call: TextCall): string {
  return `ASSISTANT:\n${says}\n\n${writeCall(call)}\n\nUSER:\nEXECUTION RESULT of [${call.name}]:\n${result}`;
}
