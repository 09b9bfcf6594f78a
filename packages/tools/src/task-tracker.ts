import {
  type ConversationFiles,
  defineTool,
  type Tool,
  ToolError,
  type ToolFactory,
  text,
} from '@longhand/sdk';
import * as z from 'zod';

const task = z.object({
  title: z.string().describe('What to do.'),
  notes: z.string().default('').describe('What to keep in mind.'),
  status: z.enum(['todo', 'in_progress', 'done']).default('todo').describe('Where it stands.'),
});
type Task = z.output<typeof task>;

const input = z.object({
  command: z
    .enum(['view', 'plan'])
    .default('view')
    .describe('view shows the list, plan replaces it with task_list.'),
  task_list: z.array(task).optional().describe('For plan: the whole list.'),
});
type Input = z.output<typeof input>;

const FILE = 'TASKS.json';
const MARKS = { todo: '[ ]', in_progress: '[>]', done: '[x]' } as const;

/** `task_tracker`: the agent's task list, stored with the conversation. */
export const taskTrackerTool: ToolFactory = {
  name: 'task_tracker',
  create: ({ files, onWarning }) => {
    const warn = (what: string, error: unknown) =>
      onWarning(`task_tracker: ${files?.pathOf(FILE)} cannot be ${what}: ${(error as Error).message}`);
    let tasks: readonly Task[] = files === null ? [] : readTasks(files, (error) => warn('read', error));
    return [
      defineTool({
        name: 'task_tracker',
        kind: { tool: 'TaskTrackerTool', action: 'TaskTrackerAction', observation: 'TaskTrackerObservation' },
        description: DESCRIPTION,
        promptSection: SECTION,
        input: input as z.ZodType<Input>,
        annotations: {
          title: 'task_tracker',
          readOnlyHint: false,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        run: async ({ command, task_list }: Input) => {
          if (command === 'plan') {
            if (task_list === undefined) throw new ToolError('plan needs task_list, the whole list.');
            tasks = task_list;
            if (files !== null) writeTasks(files, tasks, (error) => warn('written', error));
          }
          const said = command === 'plan' ? `The list now has ${tasks.length} task(s).` : listText(tasks);
          return { content: [text(said)], is_error: false, command, task_list: tasks };
        },
      }),
    ];
  },
};

const SECTION: NonNullable<Tool['promptSection']> = {
  name: 'tasks',
  template: `<TASKS>
- Before work in three or more steps, write the task list. For less, work without one.
- Update the list as you go: one task in progress, each task done as soon as you have checked it, new tasks when you discover them.
- View the list when you are unsure what comes next, and before you finish: every task is done, or you report why not.
</TASKS>
`,
};

const DESCRIPTION = `Keeps a task list for work in several steps.
- plan replaces the whole list: send every task each time, with its status todo, in_progress or done. view shows it.
- Plan when a task has three or more steps, or when the user asks for several things; do not plan what is done in one step.
- Keep one task in progress at a time, mark it done as soon as it is really done, and add tasks that you discover.`;

function listText(tasks: readonly Task[]): string {
  if (tasks.length === 0) return 'The list is empty. Use plan to fill it.';
  const lines = tasks.map((each, i) => {
    const notes = each.notes === '' ? '' : `\n   ${each.notes.replaceAll('\n', '\n   ')}`;
    return `${i + 1}. ${MARKS[each.status]} ${each.title}${notes}`;
  });
  return `Tasks:\n${lines.join('\n')}`;
}

/** A list that cannot be read counts as empty: the model is asked to plan again. */
function readTasks(files: ConversationFiles, onFailure: (error: unknown) => void): readonly Task[] {
  try {
    const stored = files.read(FILE);
    return stored === undefined ? [] : z.array(task).parse(JSON.parse(Buffer.from(stored).toString()));
  } catch (error) {
    onFailure(error);
    return [];
  }
}

/** A failure is only a warning: the list stays valid for this run. */
function writeTasks(
  files: ConversationFiles,
  tasks: readonly Task[],
  onFailure: (error: unknown) => void,
): void {
  try {
    files.write(FILE, JSON.stringify(tasks, null, 2));
  } catch (error) {
    onFailure(error);
  }
}
