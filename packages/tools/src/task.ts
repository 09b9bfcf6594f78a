import { defineTool, type ToolEnvironment, type ToolFactory, text } from '@longhand/sdk';
import * as z from 'zod';

const input = z.object({
  prompt: z
    .string()
    .regex(/\S/, 'must not be blank')
    .describe('The whole task: the agent knows nothing of this conversation, and answers once.'),
  subagent_type: z.string().default('general-purpose').describe('Which agent.'),
  description: z.string().optional().describe('The task in three to five words, for people.'),
  resume: z.string().optional().describe('The id of an earlier task, to go on with it.'),
});
type Input = z.output<typeof input>;

/** `task`: has another agent do a piece of work, and comes back with what it says at the end. */
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
      show: { call: ({ prompt, subagent_type }: Input) => `hands to ${subagent_type}: ${prompt}` },
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

/** In a replay: the agents are those that there were then. */
function told({ inert, described = [] }: ToolEnvironment): string | undefined {
  return inert === true ? described.find(({ kind }) => kind === KIND)?.description : undefined;
}

/** As models give what they mean to leave out. */
function isBlank(word: string): boolean {
  return word.trim() === '';
}

function description({ agents = [] }: ToolEnvironment): string {
  const list = agents.map(({ name, description: words }) => `- ${name}: ${words.split('\n')[0]}`).join('\n');
  return `Has another agent do a piece of work in this workspace, and waits for its answer. Use it for what can be told in full and judged by its result: finding something out in many files, one of several independent parts. Several calls in one turn run side by side.
Say in the prompt what is to be done, what is known already, and what to answer with. Look at what it did before you rely on it. Tasks are numbered as they are begun, from task_00000001: one that failed or was cut off can be resumed.
Agents:
${list || '- none'}`;
}
