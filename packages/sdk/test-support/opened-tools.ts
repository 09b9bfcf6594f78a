/** Tools that tests open without a conversation. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'node:test';
import { type TriedTools, tryTools } from '../src/testing/try-tools.ts';
import type { ToolFactory } from '../src/tool/tool.ts';

/** For a test file: opens the tools of a factory in a folder of the test. Both are closed and removed after it. */
export function openedTools(): (factory: ToolFactory) => Promise<TriedTools> {
  let folder: string;
  const opened: TriedTools[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'longhand-tools-'));
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return async (factory) => {
    const tools = await tryTools(factory, { folder });
    opened.push(tools);
    return tools;
  };
}
