/** What an agent knows besides the conversation, and when it gets it: at the start, with a message, or with a file. */
import { posix } from 'node:path';
import type { TextContent } from '../event/content.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type AgentContext, checkContext, extendedContent, skillsBlocks } from './agent-context.ts';
import { instructionsIn, kindOfInstructions, ownFolder, type UserHome } from './instructions.ts';
import { type FoundSkills, firstOfEachName, projectSkills, userSkills } from './load-skills.ts';
import { matchPath, matchWords } from './match-skills.ts';
import type { McpConfig } from './mcp-config.ts';
import type { Skill } from './skill.ts';
import {
  familyOf,
  type PromptFolder,
  type PromptPart,
  type PromptTool,
  systemPromptParts,
} from './system-prompt.ts';
import { workspaceContext } from './workspace-context.ts';

export interface Knowledge {
  /** Starts reading what will be needed. */
  prepare?(): void;
  /** The part of the system prompt that never changes, section by section. */
  staticPrompt(tools: readonly PromptTool[]): Promise<readonly PromptPart[]>;
  /** The part of the system prompt that depends on place and time, block by block. */
  dynamicContext(nowMs: number): Promise<readonly PromptPart[]>;
  /** What is added to a user message. `told`: names of skills that the agent already has. */
  forMessage(words: string, told: ReadonlySet<string>): Promise<Recall>;
  /** Skills that can be invoked by name. */
  offered(): Promise<readonly Skill[]>;
  /** Skills with MCP servers. */
  bringers?(): Promise<readonly Bringer[]>;
  /** What is added to a result that concerns a file. */
  forPath(path: string, told: ReadonlySet<string>): Promise<Recall>;
}

export interface Bringer {
  readonly skill: Skill;
  readonly mcpServers: McpConfig;
  /** It comes from the working folder, so nobody has allowed its servers to start. */
  readonly isOfProject: boolean;
}

export interface Recall {
  readonly names: readonly string[];
  readonly content: readonly TextContent[];
}

export interface KnowledgeOptions {
  readonly workspace: Workspace;
  readonly context: AgentContext;
  /** The user's home folder, for the user's own skills and prompts. */
  readonly home?: UserHome;
  /** The name of the model; files for other makers' models are skipped. */
  readonly model: string;
  readonly warn: (text: string) => void;
}

const NOTHING: Recall = { names: [], content: [] };

/** Files are read on first use. Throws a TypeError if two given skills have the same name. */
export function openKnowledge(options: KnowledgeOptions): Knowledge {
  const { workspace, context } = options;
  checkContext(context);
  let loading: Promise<Loaded> | undefined;
  const load = () => {
    loading ??= loadSkills(options);
    return loading;
  };
  const skills = async () => (await load()).skills;
  const nested = new Map<string, Promise<readonly Skill[]>>();
  return {
    prepare: () => {
      skills().catch(() => undefined); // reported when it is needed
    },
    staticPrompt: (tools) =>
      systemPromptParts({ tools, model: options.model, folders: promptFolders(options), warn: options.warn }),
    dynamicContext: async (nowMs) => {
      const [blocks, place] = await Promise.all([
        skills().then(skillsBlocks),
        workspaceContext(workspace, nowMs, context),
      ]);
      const suffix = context.systemMessageSuffix?.trim();
      return [
        ...blocks,
        ...(suffix === undefined || suffix === ''
          ? []
          : [{ section: 'agent', source: 'the agent', text: suffix }]),
        { section: 'place', source: 'this place', text: place },
      ];
    },
    forMessage: async (words, told) => {
      const matches = matchWords(await skills(), words).filter(({ skill }) => !told.has(skill.name));
      return {
        names: matches.map(({ skill }) => skill.name),
        content: extendedContent(matches, context.userMessageSuffix),
      };
    },
    offered: async () => (await skills()).filter(({ isHidden }) => isHidden !== true),
    bringers: async () => {
      // Called early: files are read again, with warnings, when they are needed.
      const early = loading ?? loadSkills({ ...options, warn: () => undefined });
      const { skills: known, ofProject } = await early;
      return known.flatMap((skill) =>
        skill.mcpServers === undefined
          ? []
          : [{ skill, mcpServers: skill.mcpServers, isOfProject: ofProject.has(skill) }],
      );
    },
    forPath: async (path, told) => {
      const relative = posix.relative(workspace.root, posix.resolve(workspace.root, path));
      if (relative === '' || relative.startsWith('..')) return NOTHING;
      const around = context.loadProjectSkills === true ? await foldersAbove(relative, nested, options) : [];
      const found = await matchPath([...(await skills()), ...around], relative);
      const matches = found.filter(({ skill }) => !told.has(skill.name));
      return { names: matches.map(({ skill }) => skill.name), content: extendedContent(matches) };
    },
  };
}

/** The project's before the user's. */
function promptFolders({ workspace, context, home }: KnowledgeOptions): PromptFolder[] {
  const project = { files: workspace, path: posix.join(workspace.root, PROMPTS), isTrusted: false };
  const user =
    home === undefined
      ? []
      : [{ files: home.files, path: posix.join(ownFolder(home), 'prompts'), isTrusted: true }];
  return [
    ...(context.loadProjectSkills === true ? [project] : []),
    ...(context.loadUserSkills === true ? user : []),
  ];
}

const PROMPTS = '.longhand/prompts';

interface Loaded {
  readonly skills: readonly Skill[];
  readonly ofProject: ReadonlySet<Skill>;
}

const NONE: FoundSkills = { instructions: [], skills: [] };

async function loadSkills({ workspace, context, home, model, warn }: KnowledgeOptions): Promise<Loaded> {
  const [project, user] = await Promise.all([
    context.loadProjectSkills === true ? projectSkills(workspace, workspace.root, warn) : NONE,
    context.loadUserSkills === true && home !== undefined ? userSkills(home, warn) : NONE,
  ]);
  const given = context.skills ?? [];
  for (const { name, source } of user.skills)
    if (given.some((each) => each.name === name))
      warn(`the skill ${source} is ignored: another one called "${name}" was given`);
  const skills = firstOfEachName([
    ...user.instructions,
    ...project.instructions,
    ...project.skills,
    ...given,
    ...user.skills,
  ]).filter(({ name }) => isWanted(name, context, model));
  return { skills, ofProject: new Set(project.skills) };
}

function isWanted(
  name: string,
  { disabledSkills: disabled = [], onlySkills: only }: AgentContext,
  model: string,
): boolean {
  const kind = kindOfInstructions(name);
  const isAmong = (names: readonly string[]) => names.includes(name) || names.includes(kind);
  return !isAmong(disabled) && (only === undefined || isAmong(only)) && !isForAnother(kind, model);
}

/** `CLAUDE.md` is for Claude and `GEMINI.md` for Gemini, unless the maker of the model is unknown. */
function isForAnother(name: string, model: string): boolean {
  if (name !== 'claude' && name !== 'gemini') return false;
  const family = familyOf(model);
  return family !== 'unknown' && family !== (name === 'claude' ? 'anthropic' : 'google');
}

/** Instructions in the folders between the workspace and a file; each folder is read once. */
async function foldersAbove(
  path: string,
  known: Map<string, Promise<readonly Skill[]>>,
  { workspace, context, model, warn }: KnowledgeOptions,
): Promise<readonly Skill[]> {
  const folders: string[] = [];
  for (let folder = posix.dirname(path); folder !== '.'; folder = posix.dirname(folder)) folders.push(folder);
  const found = folders.map((folder) => {
    let skills = known.get(folder);
    if (skills === undefined) {
      const options = { files: workspace, boundary: workspace.root, warn };
      skills = instructionsIn(posix.join(workspace.root, folder), options).then((there) =>
        there
          .filter(({ name }) => isWanted(name, context, model))
          .map((skill) => ({
            ...skill,
            name: `${skill.name}:${folder}`,
            trigger: { type: 'path', paths: [`${folder}/**`] },
          })),
      );
      known.set(folder, skills);
    }
    return skills;
  });
  return (await Promise.all(found)).flat();
}
