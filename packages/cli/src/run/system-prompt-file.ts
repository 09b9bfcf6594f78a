import { readFile } from 'node:fs/promises';
import { familyOf, renderTemplate } from '@longhand/sdk';
import { UsageError } from '../usage-error.ts';

/** A template of the user's own in place of the whole system prompt. Throws UsageError that names file and line. */
export async function systemPromptFrom(
  path: string,
  model: string,
  tools: readonly string[],
): Promise<string> {
  const read = (wanted: string) => readFile(wanted, 'utf8');
  try {
    return await renderTemplate(await read(path), path, { tools, model, family: familyOf(model) }, read);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(`--system-prompt: ${code === 'ENOENT' ? `there is no file ${path}` : message}`);
  }
}
