import { defineTool, type ToolEnvironment, type ToolFactory, text } from '@longhand/sdk';
import * as z from 'zod';

const input = z.object({
  prompt: z
    .string()
    .regex(/\S/, 'must not be blank')
    .describe('The complete task: the agent knows nothing about this conversation and answers once.'),
  subagent_type: z.string().default('general-purpose').describe('The name of the agent.'),
  description: z.string().optional().describe('The task in three to five words, for people.'),
  resume: z.string().optional().describe('The id of an earlier task to resume.'),
});
type Input = z.output<typeof input>;

/** `task`: delegates work to another agent and returns its final message. */
export const taskToolSet: ToolFactory = {
  name: 'task_tool_set',
  delegates: true,
  create: (environment) => [
    defineTool({
      name: 'task',
      kind: { tool: KIND, action: 'TaskAction', observation: 'TaskObservation' },
      description: told(environment) ?? description(environment),
      input: input as z.ZodType<Input>,
      annotations: {
        title: 'task',
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
      },
      isolated: true,
      show: { call: ({ prompt, subagent_type }: Input) => `delegates to ${subagent_type}: ${prompt}` },
      resources: ({ resume = '' }: Input) => (isBlank(resume) ? [] : [`task:${resume}`]),
      run: async ({ prompt, subagent_type, resume = '' }: Input, { conversation, signal, onProgress }) => {
        const { task, agent, status, words } = await conversation.delegate({
          agent: isBlank(subagent_type) ? GENERAL : subagent_type,
          prompt,
          signal,
          onProgress,
          ...(isBlank(resume) ? {} : { resume }),
        });
        return {
          content: [text(`[${task}, ${agent}, ${status}]\n${words}`)],
          is_error: status === 'error',
          task_id: task,
          subagent: agent,
          status,
        };
      },
    }),
  ],
};

const KIND = 'TaskTool';
const GENERAL = 'general-purpose';

/** In a replay, the agents are those of the recorded run. */
function told({ inert, described = [] }: ToolEnvironment): string | undefined {
  return inert === true ? described.find(({ kind }) => kind === KIND)?.description : undefined;
}

/** Models pass blank strings for parameters that they mean to leave out. */
function isBlank(word: string): boolean {
  return word.trim() === '';
}

function description({ agents = [] }: ToolEnvironment): string {
  const list = agents.map(({ name, description: words }) => `- ${name}: ${words.split('\n')[0]}`).join('\n');
  return `Delegates work in this workspace to another agent and waits for its answer. Use it for work that you can describe completely and judge by its result: searching many files, one of several independent parts. Several calls in one turn run in parallel.
State in the prompt what to do, what is already known, and what to report. Check its work before you rely on it. Tasks are numbered in order, starting with task_00000001; a task that failed or was interrupted can be resumed.
Agents:
${list || '- none'}`;
}
