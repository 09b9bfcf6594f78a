import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConversationFiles } from '@longhand/sdk';
import { localConversationFiles } from '@longhand/sdk/internal';

/** The files of a conversation that is not stored: in a temporary folder, which is created when needed and removed by `close`. */
export function temporaryFiles(): ConversationFiles & { close(): void } {
  let directory: string | undefined;
  let opened: ConversationFiles | undefined;
  const files = () => {
    directory ??= mkdtempSync(join(tmpdir(), 'longhand-undo-'));
    opened ??= localConversationFiles(directory);
    return opened;
  };
  return {
    pathOf: (name) => files().pathOf(name),
    read: (name) => opened?.read(name),
    write: (name, content) => files().write(name, content),
    list: (folder) => opened?.list(folder) ?? [],
    remove: (name) => opened?.remove(name),
    create: (name) => files().create(name),
    close: () => {
      if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}
