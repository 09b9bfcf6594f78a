import type { ConversationFiles } from '@longhand/sdk';
import { CLIPPED } from '@longhand/sdk/internal';
import { headOf } from '@longhand/sdk/value';
import { keepFile } from '../../kept-file.ts';

const LIMIT = 50_000;

/** Truncates long text at its end, where pages say least. The notice names a file with the full text. */
export function clipped(said: string, files: ConversationFiles | null): string {
  if (said.length <= LIMIT) return said;
  const line = said.slice(0, LIMIT).split('\n').length;
  const where =
    files === null
      ? ''
      : ` The whole is in ${keepFile(files, 'browser_output', said, 'txt')}; the cut begins at line ${line}.`;
  const notice = `\n${CLIPPED} ${said.length} characters in all.${where}`;
  return headOf(said, LIMIT - notice.length) + notice;
}
