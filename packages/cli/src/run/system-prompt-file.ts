import { readFile } from 'node:fs/promises';
import { decodeText, familyOf, renderTemplate, TemplateError } from '@longhand/sdk/internal';
import { UsageError } from '../usage-error.ts';

/** A template of the user's own in place of the whole system prompt. Throws UsageError that names file and line, also if it is empty. */
export async function systemPromptFrom(
  path: string,
  model: string,
  tools: readonly string[],
): Promise<string> {
  const read = async (wanted: string) => decodeText(await readFile(wanted));
  try {
    const prompt = await renderTemplate(
      await read(path),
      path,
      { tools, model, family: familyOf(model) },
      read,
    );
    if (prompt.trim() !== '') return prompt;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const fault = error instanceof TemplateError ? message : `${path} cannot be read: ${message}`;
    throw new UsageError(`system prompt: ${code === 'ENOENT' ? `there is no file ${path}` : fault}`);
  }
  throw new UsageError(`system prompt: ${path} gives an empty prompt`);
}
