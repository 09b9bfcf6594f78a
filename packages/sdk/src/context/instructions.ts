/**
 * Instructions that people keep for all programs that write code: `AGENTS.md` and its relatives, of the user and of each folder from the
 * repository's root down to the working folder. All of them apply; the nearest comes last, since it says most about the work.
 */
import { posix } from 'node:path';
import { withImports } from './imports.ts';
import { contentOf, type Files, listed } from './read-text.ts';
import type { Skill } from './skill.ts';

/** The files, and their names as skills. */
const FILES: { readonly [lowerCase: string]: string } = {
  '.cursorrules': 'cursorrules',
  '.openhands_instructions': 'openhands_instructions',
  'agents.md': 'agents',
  'agent.md': 'agents',
  'claude.md': 'claude',
  'gemini.md': 'gemini',
};

const KINDS = new Set(Object.values(FILES));

/** Folders of the user's home that may have such a file; the last is the nearest. */
const USER_FOLDERS = ['.claude', '.gemini', '.agents', '.longhand'];

type Warn = (text: string) => void;

export interface InstructionOptions {
  readonly files: Files;
  /** The folder that files may import from; its own files may not reach beyond it. */
  readonly boundary: string;
  readonly warn: Warn;
}

/** Where the user's own files are. */
export interface UserHome {
  readonly files: Files;
  readonly path: string;
  /** The folder of the user's settings of Longhand. Default: `.longhand` in the home. */
  readonly own?: string;
}

export function ownFolder({ path, own }: UserHome): string {
  return own ?? posix.join(path, '.longhand');
}

/** Those of the user. */
export async function userInstructions(home: UserHome, warn: Warn): Promise<Skill[]> {
  const { files, path } = home;
  const found = await Promise.all(
    USER_FOLDERS.map(async (folder) => {
      const place = folder === '.longhand' ? ownFolder(home) : posix.join(path, folder);
      const skills = await instructionsIn(place, { files, boundary: '/', warn });
      return skills.map((skill) => ({ ...skill, name: `${skill.name}:~/${folder}` }));
    }),
  );
  return found.flat();
}

/** Those of the project: of `root` and of each folder down to the working folder, whose files have no folder in their names. */
export async function projectInstructions(
  files: Files,
  workingDir: string,
  root: string,
  warn: Warn,
): Promise<Skill[]> {
  const folders = [workingDir];
  for (let folder = workingDir; folder !== root && folder !== '/'; ) {
    folder = posix.dirname(folder);
    folders.unshift(folder);
  }
  const found = await Promise.all(
    folders.map(async (folder) => {
      const skills = await instructionsIn(folder, { files, boundary: root, warn });
      return folder === workingDir
        ? skills
        : skills.map((skill) => ({ ...skill, name: `${skill.name}:${folder}` }));
    }),
  );
  return found.flat();
}

/** The name without its folder, `agents` of `agents:docs`; any other name as it is. */
export function kindOfInstructions(name: string): string {
  const [kind = name] = name.split(':', 1);
  return KINDS.has(kind) ? kind : name;
}

/** Those of one folder. A file with two names counts once. */
export async function instructionsIn(folder: string, options: InstructionOptions): Promise<Skill[]> {
  const { files, boundary, warn } = options;
  const entries = await listed(files, folder);
  const named = entries.filter(
    ({ name, type }) => type === 'file' && Object.hasOwn(FILES, name.toLowerCase()),
  );
  const places = await Promise.all(named.map(({ name }) => files.realPath(posix.join(folder, name))));
  const skills = await Promise.all(
    named.map(async ({ name }, i): Promise<Skill[]> => {
      if (places.indexOf(places[i] as string) < i) return []; // links to another one of them
      const path = posix.join(folder, name);
      const skill = FILES[name.toLowerCase()] as string;
      const own = (await contentOf(files, path, warn))?.trim() ?? '';
      if (own === '') return [];
      const content = skill === 'claude' ? await withImports(path, own, { files, boundary, warn }) : own;
      return [{ name: skill, content, source: path }];
    }),
  );
  return skills.flat();
}
