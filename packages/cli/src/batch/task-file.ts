import { createReadStream } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileFault } from '../file-fault.ts';
import { UsageError } from '../usage-error.ts';
import { type Instance, readInstance } from './instance.ts';

const SHOWN_AT_MOST = 5;

/** All instances of a file, in order. Throws UsageError that names the faulty lines. */
export async function readTaskFile(path: string): Promise<readonly Instance[]> {
  const base = dirname(resolve(path));
  const instances: Instance[] = [];
  const lineOf = new Map<string, number>();
  const faults: string[] = [];
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let number = 0;
  for await (const bytes of linesOf(path)) {
    number += 1;
    try {
      const line = decoder.decode(bytes);
      if (line.trim() === '') continue;
      const instance = readInstance(line, base);
      for (const name of new Set([instance.id, instance.folder])) {
        const before = lineOf.get(name);
        if (before !== undefined) throw new UsageError(`"${instance.id}" is in line ${before} already`);
        lineOf.set(name, number);
      }
      instances.push(instance);
    } catch (error) {
      const why = error instanceof UsageError ? error.message : 'it is not UTF-8 text';
      faults.push(`${path}:${number}: ${why}`);
    }
  }
  if (faults.length > SHOWN_AT_MOST)
    faults.splice(SHOWN_AT_MOST, Infinity, `and ${faults.length - SHOWN_AT_MOST} more lines are wrong`);
  if (faults.length > 0) throw new UsageError(faults.join('\n  '));
  if (instances.length === 0) throw new UsageError(`${path} has no instances`);
  return instances;
}

/** Lines end with a newline only: other line separators may occur inside JSON text. */
async function* linesOf(path: string): AsyncGenerator<Uint8Array> {
  let parts: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      let at = 0;
      for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, at)) {
        yield Buffer.concat([...parts, chunk.subarray(at, end)]);
        parts = [];
        at = end + 1;
      }
      parts.push(chunk.subarray(at));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw new UsageError(`the task file ${path} cannot be read: ${fileFault(error)}`);
  }
  if (parts.some((part) => part.length > 0)) yield Buffer.concat(parts);
}
