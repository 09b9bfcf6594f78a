import { checkApproval } from '../agent/approval.ts';
import { execute } from '../agent/execute.ts';
import { draftsOfCalls } from '../agent/tool-calls.ts';
import { type Content, textOf } from '../event/content.ts';
import { eventOf } from '../event/draft.ts';
import { systemClock } from '../event/identity.ts';
import type { ActionEvent, Observation } from '../event/kinds.ts';
import { type Completion, type LLM, NO_USAGE } from '../llm/llm.ts';
import { scriptedLlm } from '../llm/playback/scripted-llm.ts';
import { localConversationFiles } from '../tool/conversation-files.ts';
import type { Tool, ToolConversation, ToolFactory } from '../tool/tool.ts';
import { createToolSet } from '../tool/tool-set.ts';
import { makeFolder } from '../value/make-folder.ts';
import { openLocalWorkspace } from '../workspace/local-workspace.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Where and how the tools are tried. */
export interface TryOptions {
  /** The workspace. */
  readonly folder: string;
  /** The folder where tools keep files, as a conversation's folder; default: none. */
  readonly directory?: string;
  readonly params?: { readonly [key: string]: unknown };
  /** Default true. */
  readonly vision?: boolean;
  /** The model of the conversation, for every purpose; default: one that has no answers. */
  readonly llm?: LLM;
  readonly conversation?: Partial<ToolConversation>;
}

export interface TryCallOptions {
  /** Default: the first tool of the factory. */
  readonly tool?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (text: string) => void;
  /** Whether a person has approved the call; a call that needs approval is not executed without. Default false. */
  readonly isApproved?: boolean;
  /** Called with what the call prints, in pieces. */
  readonly onOutput?: (text: string) => void;
}

/** What the model sees of a call, and what is stored. */
export interface ToolResult {
  /** All text that the model sees. */
  readonly said: string;
  readonly content: readonly Content[];
  readonly isError: boolean;
  /** Absent if the call has no observation: it was not valid, or the tool threw. */
  readonly observation?: Observation;
}

/** Tools that can be called as a model calls them. */
export interface TriedTools {
  readonly tools: readonly Tool[];
  readonly workspace: Workspace;
  readonly warnings: readonly string[];
  /** Calls a tool as a model does: `args` is JSON text, or is turned into it. */
  call(args: object | string, options?: TryCallOptions): Promise<ToolResult>;
  close(): Promise<void>;
}

/** Opens the tools of one factory without a conversation. Calls are checked, executed and rendered as an agent's calls are. */
export async function tryTools(factory: ToolFactory, options: TryOptions): Promise<TriedTools> {
  const { folder, directory, params = {}, vision = true, llm = scriptedLlm({ turns: [] }) } = options;
  const workspace = openLocalWorkspace(folder);
  if (directory !== undefined) makeFolder(directory);
  const files = directory === undefined ? null : localConversationFiles(directory);
  const warnings: string[] = [];
  const set = await createToolSet([{ name: factory.name, params }], [factory], {
    workspace,
    files,
    vision,
    onWarning: (warning) => warnings.push(warning),
  });
  let calls = 0;
  return {
    get tools() {
      return set.tools;
    },
    workspace,
    warnings,
    call: async (
      args,
      { tool, signal = new AbortController().signal, onProgress, onOutput, isApproved = false } = {},
    ) => {
      calls += 1;
      const name = tool ?? set.tools[0]?.name ?? factory.name;
      const [action, refused] = draftsOfCalls(completionOf(name, args, `call_${calls}`), set);
      if (refused?.kind === 'AgentErrorEvent') return failed(refused.error);
      const event = eventOf(action as NonNullable<typeof action>, null, systemClock) as ActionEvent;
      const approvals = await checkApproval([event], { tools: set, signal, awaitsConsent: () => false });
      if (approvals.get(event.id) === true && !isApproved)
        return failed('The call needs the approval of a person, and was not executed.');
      const result = await execute(event, {
        tools: set,
        workspace,
        signal,
        isApproved: () => isApproved,
        onStart: () => undefined,
        onProgress: (_, text) => onProgress?.(text),
        onOutput: (_, { text }) => onOutput?.(text),
        requestCondensation: () => undefined,
        conversation: {
          id: 'tried',
          files,
          llm: async () => llm,
          useModel: () => Promise.reject(new Error('there is no other model')),
          skill: () => Promise.reject(new Error('there are no skills')),
          images: () => [],
          delegate: () => Promise.reject(new Error('there is no agent to hand work to')),
          ...options.conversation,
        },
      });
      if (result.kind === 'AgentErrorEvent') return failed(result.error);
      if (result.kind !== 'ObservationEvent') throw new Error(`a tool answered with a ${result.kind}`);
      const content = set.render(result.observation);
      return {
        said: textOf(content),
        content,
        isError: result.observation.is_error === true,
        observation: result.observation,
      };
    },
    close: async () => {
      await set.close();
      await workspace.close();
    },
  };
}

function failed(error: string): ToolResult {
  return { said: error, content: [{ type: 'text', text: error }], isError: true };
}

function completionOf(name: string, args: object | string, id: string): Completion {
  return {
    id: `response_${id}`,
    message: {
      role: 'assistant',
      content: [],
      tool_calls: [
        {
          id,
          name,
          arguments: typeof args === 'string' ? args : JSON.stringify(args),
          origin: 'completion',
        },
      ],
    },
    finish: { reason: 'tool-calls' },
    usage: NO_USAGE,
    costUsd: null,
    latencyMs: 0,
  };
}
