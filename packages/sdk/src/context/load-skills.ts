/**
 * Skills from the files that people already have. Of several with one name the nearest counts: the project's before the
 * user's. A file that is not valid causes a warning with its name and loses that skill only.
 */
import { posix } from 'node:path';
import type { DirectoryEntry } from '../workspace/workspace.ts';
import { commandsIn } from './commands.ts';
import { ownFolder, projectInstructions, type UserHome, userInstructions } from './instructions.ts';
import { contentOf, type Files, listed } from './read-text.ts';
import { parseSkill, type Skill, type SkillFile } from './skill.ts';

const SKILL_FOLDERS = [
  '.agents/skills',
  '.longhand/skills',
  '.openhands/skills',
  '.openhands/microagents',
  '.claude/skills',
];
const CLAUDE_COMMANDS = '.claude/commands';

type Warn = (text: string) => void;

/** Skills and instructions; the instructions come first, and of them the nearest last. */
export interface FoundSkills {
  readonly instructions: readonly Skill[];
  readonly skills: readonly Skill[];
}

/** Those of the working folder and of the repository around it. */
export async function projectSkills(files: Files, workingDir: string, warn: Warn): Promise<FoundSkills> {
  const root = (await repositoryRoot(files, workingDir)) ?? workingDir;
  const places = root === workingDir ? [workingDir] : [workingDir, root];
  const [instructions, ...found] = await Promise.all([
    projectInstructions(files, workingDir, root, warn),
    ...places.map((place) => skillsIn(files, skillFolders(place), posix.join(place, CLAUDE_COMMANDS), warn)),
  ]);
  return { instructions, skills: firstOfEachName(found.flat()) };
}

/** The user's own. */
export async function userSkills(home: UserHome, warn: Warn): Promise<FoundSkills> {
  const { files, path } = home;
  const own = ownFolder(home);
  const folders = skillFolders(path).map((folder) =>
    folder === posix.join(path, '.longhand/skills') ? posix.join(own, 'skills') : folder,
  );
  const [instructions, skills] = await Promise.all([
    userInstructions(home, warn),
    skillsIn(files, folders, posix.join(path, CLAUDE_COMMANDS), warn),
  ]);
  return { instructions, skills: firstOfEachName(skills) };
}

export function firstOfEachName<T extends { readonly name: string }>(all: readonly T[]): T[] {
  const names = new Set<string>();
  return all.filter(({ name }) => !names.has(name) && names.add(name));
}

/** The nearest folder upwards with a `.git`; undefined if there is none. */
export async function repositoryRoot(files: Files, from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = posix.dirname(folder)) {
    if ((await files.stat(posix.join(folder, '.git'))) !== null) return folder;
    if (folder === posix.dirname(folder)) return undefined;
  }
}

/** Skills of a plugin: those of a folder, or the one `SKILL.md` in `root` itself. */
export async function skillsUnder(files: Files, folder: string, root: string, warn: Warn): Promise<Skill[]> {
  const own = await quietContent(files, posix.join(root, 'SKILL.md'));
  const found =
    own === undefined
      ? await skillFiles(files, folder, warn)
      : [{ path: posix.join(root, 'SKILL.md'), source: own, ...namedBy(posix.basename(root)) }];
  const parsed = await Promise.all(
    found.map((file) => parsedOrWarned(files, { ...file, hasFreeName: true }, warn)),
  );
  return parsed.flatMap((skill) => skill ?? []);
}

function skillFolders(root: string): readonly string[] {
  return SKILL_FOLDERS.map((folder) => posix.join(root, folder));
}

async function skillsIn(
  files: Files,
  skillPlaces: readonly string[],
  commands: string,
  warn: Warn,
): Promise<Skill[]> {
  const folders = await Promise.all(skillPlaces.map((folder) => skillFiles(files, folder, warn)));
  const [called, ...parsed] = await Promise.all([
    commandsIn(files, commands, '', warn),
    ...folders.flat().map((file) => parsedOrWarned(files, file, warn)),
  ]);
  return [...parsed.flatMap((skill) => skill ?? []), ...called];
}

async function skillFiles(files: Files, folder: string, warn: Warn): Promise<SkillFile[]> {
  const entries = await listed(files, folder);
  if (entries.length === 0) {
    const found = await files.stat(folder).catch(() => null);
    if (found !== null && found.type !== 'directory')
      warn(`${folder} is ignored: it must be a folder of skills, and is a file`);
    return [];
  }
  const above = [await files.realPath(folder)];
  const found = await Promise.all(entries.map((entry) => filesOf(files, folder, entry, above, warn)));
  return found.flat();
}

/** A folder with a `SKILL.md` is one skill; any other folder may contain several. `above`: real paths of its parents. */
async function filesOf(
  files: Files,
  folder: string,
  { name, type }: DirectoryEntry,
  above: readonly string[],
  warn: Warn,
): Promise<SkillFile[]> {
  const path = posix.join(folder, name);
  if (type === 'file') return await legacyFile(files, path, name, warn);
  if (type !== 'directory') return [];
  // The usual spelling is tried first; listing the folder would take as long again.
  const usual = await quietContent(files, posix.join(path, 'SKILL.md'));
  if (usual !== undefined) return [{ path: posix.join(path, 'SKILL.md'), source: usual, ...namedBy(name) }];
  const inside = await listed(files, path);
  const main = inside.find((entry) => entry.type === 'file' && entry.name.toLowerCase() === 'skill.md');
  if (main === undefined) {
    const place = inside.length === 0 ? '' : await files.realPath(path);
    if (above.includes(place)) return []; // a link to one of its own parents
    const deeper = await Promise.all(
      inside.map((entry) => filesOf(files, path, entry, [...above, place], warn)),
    );
    return deeper
      .flat()
      .map((file) =>
        file.folder === undefined ? { ...file, fallbackName: `${name}/${file.fallbackName}` } : file,
      );
  }
  const skillPath = posix.join(path, main.name);
  const source = await contentOf(files, skillPath, warn);
  return source === undefined ? [] : [{ path: skillPath, source, ...namedBy(name) }];
}

function namedBy(folder: string): Pick<SkillFile, 'fallbackName' | 'folder'> {
  return { fallbackName: folder, folder };
}

async function quietContent(files: Files, path: string): Promise<string | undefined> {
  let failed = false;
  const content = await contentOf(files, path, () => {
    failed = true;
  });
  return failed ? undefined : content;
}

async function legacyFile(files: Files, path: string, name: string, warn: Warn): Promise<SkillFile[]> {
  if (!/\.md$/i.test(name) || /^readme\.md$/i.test(name)) return [];
  const source = await contentOf(files, path, warn);
  return source === undefined ? [] : [{ path, source, fallbackName: name.replace(/\.md$/i, '') }];
}

async function parsedOrWarned(files: Files, file: SkillFile, warn: Warn): Promise<Skill | undefined> {
  try {
    return await parseSkill(await withServers(files, file));
  } catch (error) {
    warn(`the skill ${file.path} is skipped: ${(error as Error).message}`);
    return undefined;
  }
}

/** A `SKILL.md` may have servers in a file beside it. */
async function withServers(files: Files, file: SkillFile): Promise<SkillFile> {
  if (!/\/skill\.md$/i.test(file.path)) return file;
  const servers = await quietContent(files, posix.join(posix.dirname(file.path), '.mcp.json'));
  return servers === undefined ? file : { ...file, servers };
}
