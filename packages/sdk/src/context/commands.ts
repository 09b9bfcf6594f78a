import { posix } from 'node:path';
import { parseDocument } from './frontmatter.ts';
import { type Files, listed, readText } from './read-text.ts';
import type { Skill } from './skill.ts';

type Warn = (text: string) => void;

/**
 * Commands in the format of Claude Code: a Markdown file each, called by `/<name>` in a message, and in a folder below by `/<folder>:<name>`.
 * Their text only becomes part of the prompt; nothing in it is executed, and keys such as `allowed-tools` have no effect. `prefix` precedes the names.
 */
export async function commandsIn(files: Files, folder: string, prefix: string, warn: Warn): Promise<Skill[]> {
  const entries = await listed(files, folder);
  const found = await Promise.all(
    entries.map(async ({ name, type }): Promise<readonly (Skill | null)[]> => {
      const path = posix.join(folder, name);
      if (type === 'directory' && prefix === '') return await commandsIn(files, path, `${name}:`, warn);
      if (type !== 'file' || !/\.md$/i.test(name)) return [];
      return [await commandOf(files, path, prefix + name.replace(/\.md$/i, ''), warn)];
    }),
  );
  return found.flat().filter((skill) => skill !== null);
}

async function commandOf(files: Files, path: string, name: string, warn: Warn): Promise<Skill | null> {
  try {
    const { attributes, body } = await parseDocument(await readText(files, path));
    const { description } = attributes;
    return {
      name,
      content: body.includes('$ARGUMENTS') ? `${body.trim()}\n\n${argumentsOf(name)}` : body.trim(),
      source: path,
      trigger: { type: 'keyword', keywords: [`/${name}`] },
      isHidden: true,
      ...(typeof description === 'string' ? { description } : {}),
    };
  } catch (error) {
    warn(`the command ${path} is skipped: ${(error as Error).message}`);
    return null;
  }
}

function argumentsOf(name: string): string {
  return `$ARGUMENTS above stands for the words after /${name} in the user's message.`;
}
