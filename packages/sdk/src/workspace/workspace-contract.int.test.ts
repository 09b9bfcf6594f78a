import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceContract } from '../testing/contracts/workspace.ts';
import { openLocalWorkspace } from './local-workspace.ts';

workspaceContract('local', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-workspace-'));
  return {
    workspace: openLocalWorkspace(folder),
    remove: async () => rmSync(folder, { recursive: true }),
  };
});
