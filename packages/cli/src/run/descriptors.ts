import { fstatSync } from 'node:fs';

/** Whether there may be something to read that nobody has to type: a pipe or a file. */
export function isRedirected(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isFIFO() || found.isSocket() || found.isFile();
  } catch {
    return false; // closed from the start
  }
}
