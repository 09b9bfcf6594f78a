/**
 * A chat endpoint in its own process, so that its cost is not counted as the client's. It asks for a number of commands, one
 * per turn, then says that it is done. `startEndpoint` starts it; it reports every request to its parent.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Times are fractional milliseconds since the epoch. */
export interface Turn {
  readonly receivedAt: number;
  readonly answeredAt: number;
  readonly bytes: number;
  /** Whether the request begins with all messages of the previous one. */
  readonly extendsLast: boolean;
}

export interface Endpoint {
  readonly baseUrl: string;
  /** Sets the number and size of the commands to ask for, and clears the recorded turns. */
  plan(commands: number, commandBytes: number): Promise<void>;
  turns(): Promise<readonly Turn[]>;
  stop(): void;
}

export async function startEndpoint(): Promise<Endpoint> {
  const child = fork(import.meta.filename, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const port = await answerOf<number>(child);
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    plan: async (commands, commandBytes) => {
      child.send({ commands, commandBytes });
      await answerOf(child);
    },
    turns: () => {
      child.send('turns');
      return answerOf<readonly Turn[]>(child);
    },
    stop: () => child.kill(),
  };
}

function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve) => child.once('message', (message) => resolve(message as T)));
}

function serve(): void {
  let plan = { commands: 1, commandBytes: 0 };
  let turns: Turn[] = [];
  let last: Buffer | null = null;
  const now = () => performance.timeOrigin + performance.now();

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const receivedAt = now();
      const tool = /"name":"(bash|terminal)"/.exec(body.toString('latin1'))?.[1] ?? 'bash';
      const answer = Buffer.from(JSON.stringify(completion(turns.length, plan, tool)));
      const extendsLast =
        last === null || body.subarray(0, messagesEnd(last)).equals(last.subarray(0, messagesEnd(last)));
      last = body;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      response.end(answer);
      turns.push({ receivedAt, answeredAt: now(), bytes: body.length, extendsLast });
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('disconnect', () => process.exit());
  process.on('message', (message: typeof plan | 'turns') => {
    if (message === 'turns') {
      process.send?.(turns);
    } else {
      plan = message;
      turns = [];
      last = null;
      process.send?.('planned');
    }
  });
}

/** The end of the list of messages: what follows (tools, settings) is the same in every request. */
function messagesEnd(body: Buffer): number {
  const tools = body.lastIndexOf('],"tools":');
  return tools === -1 ? body.length : tools;
}

function completion(turn: number, plan: { commands: number; commandBytes: number }, tool: string): object {
  const padding = 'x'.repeat(Math.max(0, plan.commandBytes));
  const call = { name: tool, arguments: JSON.stringify({ command: `: '${padding}'; echo step ${turn}` }) };
  const message =
    turn < plan.commands
      ? {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: `call_${turn}`, type: 'function', function: call }],
        }
      : { role: 'assistant', content: 'done' };
  const finish = turn < plan.commands ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 100 * turn, completion_tokens: 10, total_tokens: 100 * turn + 10 };
  return {
    id: `c${turn}`,
    object: 'chat.completion',
    created: 1,
    model: 'bench',
    choices: [{ index: 0, message, finish_reason: finish }],
    usage,
  };
}

if (import.meta.main) serve();
