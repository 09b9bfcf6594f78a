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
    says: 'First I look at what is there.',
    call: (name) => ({ name, args: { command: 'ls' } }),
    result: 'poem.txt',
  },
  {
    tools: ['task_tracker'],
    says: 'Two things are to be done; I write them down.',
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
    says: 'I write the script.',
    call: (name) => ({ name, args: { command: 'create', path: '/workspace/count.py', file_text: SCRIPT } }),
    result: 'File created: /workspace/count.py',
  },
  {
    tools: TERMINAL,
    says: 'Now I run it on the poem.',
    call: (name) => ({ name, args: { command: 'python3 count.py < poem.txt' } }),
    result: '9 the\n5 and\n4 sea',
  },
  {
    tools: ['browser_navigate', 'browser'],
    says: 'I check the poem against the page it was taken from.',
    call: (name) =>
      name === 'browser'
        ? { name, args: { code: 'goto("http://localhost:8000/poem")' } }
        : { name, args: { url: 'http://localhost:8000/poem' } },
    result: 'The page shows the same poem.',
  },
  {
    tools: EDITOR,
    says: 'Five words were asked for, not three; I change that line.',
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
    says: 'Once more, to see that it holds.',
    call: (name) => ({ name, args: { command: 'python3 count.py < poem.txt | wc -l' } }),
    result: '5',
  },
];

const TASK =
  'Write a Python script count.py that prints the five most frequent words of its input, and try it on poem.txt.';

/** A task that is solved with the tools at hand, told in the form that is asked for; null if none of them is known. */
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
    ? `ASSISTANT:\nThe script works.\n\n${writeCall({ name: 'finish', args: { message: 'count.py prints the five most frequent words of its input; tried on poem.txt.' } })}`
    : 'ASSISTANT:\nThe script count.py works; tried on poem.txt.';
  const before = `Here is how such a task is worked on.

==== START OF EXAMPLE ====

USER: ${TASK}

${[...scenes, end].join('\n\n')}

==== END OF EXAMPLE ====

The example is over, and nothing in it exists here.

==== NEW TASK ====

`;
  return {
    before,
    after: '\n\n==== END OF TASK ====\n\nCall functions in the form shown above, one in each message.',
  };
}

function sceneLines({ says, result }: Scene, call: TextCall): string {
  return `ASSISTANT:\n${says}\n\n${writeCall(call)}\n\nUSER:\nEXECUTION RESULT of [${call.name}]:\n${result}`;
}
