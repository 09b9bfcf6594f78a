/** The two programs: each does the steps of a turn in a folder, and tells what it reads there. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Conversation, defineTool, openLocalWorkspace, ToolError } from '@longhand/sdk';
import { builtinTools } from '@longhand/tools';
import * as z from 'zod';
import { type Facts, inOneForm, ourFacts } from '../../packages/sdk/test-support/folder-facts.ts';
import type { Step } from './kinds.ts';

export interface Folder {
  readonly conversations: string;
  readonly workspace: string;
  readonly id: string;
}

export interface Driver {
  readonly name: 'longhand' | 'reference';
  turn(folder: Folder, steps: readonly Step[]): Promise<void>;
  facts(folder: Folder): Promise<Facts>;
  close(): void;
}

const echo = {
  name: 'echo',
  create: () => [
    defineTool({
      name: 'echo',
      description: 'Repeats words.',
      input: z.object({ words: z.string() }),
      run: ({ words }) => {
        if (words === 'crash') throw new ToolError('The tool crashed.');
        return `echo: ${words}`;
      },
    }),
  ],
};

export function longhand(baseUrl: string): Driver {
  return {
    name: 'longhand',
    turn: async ({ conversations, workspace, id }, steps) => {
      const conversation = await Conversation.open({
        agent: {
          llm: {
            model: 'openai/gpt-4o',
            endpoint: { baseUrl, apiKey: 'k' },
            capabilities: { apiMode: 'chat' },
            prices: { inputUsdPerToken: 1e-6, outputUsdPerToken: 2e-6 },
            retry: { attempts: 1 },
          },
          tools: ['echo', 'finish', 'think'].map((name) => ({ name, params: {} })),
          systemPrompt: 'You are a test agent.',
        },
        tools: [echo, ...builtinTools],
        workspace: openLocalWorkspace(workspace),
        place: { conversationsDir: conversations, id },
        ...(steps[0]?.do === 'confirm' ? { oversight: { confirmation: { kind: 'AlwaysConfirm' } } } : {}),
      });
      try {
        for (const step of steps) await perform(conversation, step);
      } finally {
        await conversation.close();
      }
    },
    facts: ({ conversations, id }) => ourFacts(conversations, id),
    close: () => undefined,
  };
}

async function perform(conversation: Conversation, step: Step): Promise<unknown> {
  switch (step.do) {
    case 'send': {
      const image = step.image === undefined ? [] : [{ type: 'image' as const, image_urls: [step.image] }];
      return await conversation.send([{ type: 'text', text: step.text }, ...image]);
    }
    case 'run':
      return await conversation.run();
    case 'approve':
      if (conversation.state.status !== 'waiting_for_confirmation') return undefined;
      await conversation.approve();
      return await conversation.run();
    case 'reject':
      return await conversation.reject(step.reason);
    case 'condense':
      return await conversation.condense();
    case 'navigate': {
      const last = conversation.view.events.findLast(
        (event) => event.kind === 'MessageEvent' && event.source === 'user',
      );
      return await conversation.navigate(last?.parent_id ?? null);
    }
    case 'confirm':
      return undefined; // when it was opened
  }
}

/** Starts the reference with a Python that can import it. */
export function reference(python: string, baseUrl: string): Driver {
  const child = spawn(python, [join(import.meta.dirname, 'oracle.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ask = async (command: object): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify({ ...command, base_url: baseUrl })}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the reference ended');
    const answer = JSON.parse(value) as { readonly error?: string };
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  };
  return {
    name: 'reference',
    turn: async (folder, steps) => void (await ask({ op: 'turn', ...folder, steps })),
    facts: async (folder) => inOneForm((await ask({ op: 'facts', ...folder })) as Facts),
    close: () => child.stdin.end(),
  };
}
