import { fstatSync } from 'node:fs';

/** Whether it is a pipe or a file, from which can be read without anybody typing. */
export function isRedirected(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isFIFO() || found.isSocket() || found.isFile();
  } catch {
    return false; // closed from the start
  }
}
