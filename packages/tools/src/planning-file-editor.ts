import { posix } from 'node:path';
import { defineTool, type ToolFactory, type Workspace } from '@longhand/sdk';
import { defined } from '@longhand/sdk/value';
import * as z from 'zod';
import { createFile } from './create-file.ts';
import { createEditor, type FileEditorInput, fileEditorInput, fileKey } from './file-editor/tool.ts';
import { toolParams } from './tool-params.ts';
import { told } from './workspace-errors.ts';

const PLAN = '.agents_tmp/PLAN.md';
const OLD_PLAN = 'PLAN.md';

const OUTLINE = [
  'Goal',
  'How it is now',
  'What changes, and where',
  'Steps in order',
  'Tests',
  'Open questions',
]
  .map((heading) => `## ${heading}\n`)
  .join('\n');

const params = {
  /** Absolute path of the plan; default: `.agents_tmp/PLAN.md` of the workspace, or an existing `PLAN.md` in it. */
  plan_path: z.string().startsWith('/', 'must be absolute').optional(),
};

/** `planning_file_editor`: views everything and edits only the plan. */
export const planningFileEditorTool: ToolFactory = {
  name: 'planning_file_editor',
  create: (environment, said) => {
    const { workspace, onWarning } = environment;
    const { plan_path: given } = toolParams('planning_file_editor', params, said);
    let end: (() => Promise<void>) | undefined;
    const open = async () => {
      const plan = given ?? (await usualPlan(workspace, onWarning));
      await makePlan(plan, workspace);
      const { edit, close } = createEditor(environment, [plan]);
      end = close;
      return edit;
    };
    let opened: ReturnType<typeof open> | undefined;
    const editor = () => {
      opened ??= open().catch((error: unknown) => {
        opened = undefined; // the obstacle may be gone by the next call
        throw error;
      });
      return opened;
    };
    return [
      defineTool({
        name: 'planning_file_editor',
        kind: {
          tool: 'PlanningFileEditorTool',
          action: 'PlanningFileEditorAction',
          observation: 'PlanningFileEditorObservation',
        },
        description: description(given, workspace.root),
        input: fileEditorInput as z.ZodType<FileEditorInput>,
        annotations: {
          title: 'planning_file_editor',
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: false,
        },
        resources: ({ path }: FileEditorInput) => [fileKey(path, workspace)],
        run: (call: FileEditorInput) =>
          told(async () => {
            const edit = await editor();
            const { content, is_error, path } = await edit(call);
            return { content, is_error, ...defined({ path }) };
          }),
        close: async () => {
          await opened?.catch(() => undefined); // the call reported it
          await end?.();
        },
      }),
    ];
  },
};

function description(given: string | undefined, root: string): string {
  const plan = given ?? `${root}/${PLAN} (or ${root}/${OLD_PLAN}, if only that one exists)`;
  return `Views files and folders, and edits one file: the plan, ${plan}. It already exists, with headings to fill in.
- view: a file with line numbers (view_range for a part), or a folder two levels deep.
- str_replace: replaces old_str with new_str in the plan. old_str must match exactly, and occur only once.
- insert: inserts new_str after line insert_line of the plan.
- undo_edit: undoes the last edit of the plan.
Use absolute paths; the working folder is ${root}.`;
}

async function usualPlan(workspace: Workspace, warn: (text: string) => void): Promise<string> {
  const [usual, old] = [PLAN, OLD_PLAN].map((name) => posix.join(workspace.root, name)) as [string, string];
  if ((await workspace.stat(usual)) !== null || (await workspace.stat(old)) === null) return usual;
  warn(`the plan is ${old}, since it exists; move it to ${usual}`);
  return old;
}

async function makePlan(path: string, workspace: Workspace): Promise<void> {
  if ((await workspace.stat(path)) !== null) return;
  await createFile(path, Buffer.from(OUTLINE), workspace);
}
