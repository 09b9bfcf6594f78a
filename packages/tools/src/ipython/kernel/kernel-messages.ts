/** The messages of a kernel, as far as they are needed: https://jupyter-client.readthedocs.io/en/stable/messaging.html. */
import * as z from 'zod';
import type { CellOutput } from '../output.ts';
import type { CellStatus } from '../session.ts';
import type { Message } from './wire.ts';

const stream = z.object({ text: z.string() });
const display = z.object({
  data: z.record(z.string(), z.unknown()),
  transient: z.object({ display_id: z.string().nullish() }).nullish(),
});
const failure = z.object({ traceback: z.array(z.string()) });
const clearing = z.object({ wait: z.boolean() });
const status = z.object({ execution_state: z.string() });
const reply = z.object({
  status: z.string(),
  payload: z
    .array(
      z.object({
        source: z.string(),
        keepkernel: z.boolean().nullish(),
        data: z.record(z.string(), z.unknown()).nullish(),
      }),
    )
    .default([]),
});

/** How a request ended; what the kernel means a pager to show goes to the output. */
export function endOf({ content }: Message, output: CellOutput): CellStatus {
  const { status, payload } = reply.parse(content);
  for (const { source, data } of payload) if (source === 'page' && data) output.display(data);
  const leaves = payload.some(({ source, keepkernel }) => source === 'ask_exit' && keepkernel !== true);
  return leaves ? 'exit' : status === 'ok' ? 'ok' : 'error';
}

export function saysIdle({ content }: Message): boolean {
  return status.parse(content).execution_state === 'idle';
}

/** Adds what a message displays to the output; other messages are ignored. */
export function show({ type, content }: Message, output: CellOutput): void {
  switch (type) {
    case 'stream':
      output.write(stream.parse(content).text);
      break;
    case 'execute_result':
    case 'display_data':
      output.display(display.parse(content).data);
      break;
    case 'update_display_data': {
      const { data, transient } = display.parse(content);
      output.update(transient?.display_id ?? '', data);
      break;
    }
    case 'error':
      output.writeLine(failure.parse(content).traceback.join('\n'));
      break;
    case 'clear_output':
      output.clear(clearing.parse(content).wait);
      break;
  }
}
