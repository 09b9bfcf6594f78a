import type { Process } from '@longhand/sdk';
import type { ConnectOverCDPTransport } from 'playwright-core';

/**
 * The DevTools protocol over the pipes of a process: JSON messages, each terminated by a NUL byte, as Chromium uses it with
 * `--remote-debugging-pipe`. It opens no port that others on the machine could use, and passes every wall that standard
 * input and output pass.
 */
export function pipeTransport(process: Process): ConnectOverCDPTransport {
  const parts: Uint8Array[] = [];
  let isOver = false;
  const transport: ConnectOverCDPTransport = {
    send: (message) => {
      // `exited` reports a browser that is gone.
      if (!isOver) process.write(`${JSON.stringify(message)}\0`).catch(() => undefined);
    },
    close: () => process.end(),
  };
  process.onOutput((bytes, stream) => {
    if (stream !== 'stdout') return;
    let from = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, from)) {
      parts.push(bytes.subarray(from, end));
      from = end + 1;
      const message = Buffer.concat(parts.splice(0)).toString('utf8');
      // One message per turn: what waits for one must run before the next arrives.
      setImmediate(() => transport.onmessage?.(JSON.parse(message) as object));
    }
    if (from < bytes.length) parts.push(bytes.subarray(from));
  });
  void process.exited.then(() => {
    isOver = true;
    transport.onclose?.('the browser has ended');
  });
  return transport;
}
