import { createHash } from 'node:crypto';
import type { ConversationFiles } from '@longhand/sdk';
import { OUTPUTS } from '@longhand/sdk/internal';

/** Writes a file whose name is derived from its content. Returns the path. */
export function keepFile(
  files: ConversationFiles,
  prefix: string,
  content: string | Uint8Array,
  ending: string,
): string {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8);
  const name = `${OUTPUTS}/${prefix}_${hash}.${ending}`;
  files.write(name, content);
  return files.pathOf(name);
}
