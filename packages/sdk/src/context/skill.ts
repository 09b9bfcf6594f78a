/**
 * A skill: knowledge that an agent gets always, when a word is used, or when a file is touched. Formats are the reference's
 * (SDK 1.43, section 9.3): `SKILL.md` in a folder of its own, other Markdown with front matter, and files of other programs.
 */

import { posix } from 'node:path';
import { headOf } from '../value/cut.ts';
import { defined } from '../value/defined.ts';
import { type Document, parseDocument, wordList } from './frontmatter.ts';
import { type McpConfig, parseMcpConfig, rootedAt } from './mcp-config.ts';

export type Trigger =
  | { readonly type: 'keyword'; readonly keywords: readonly string[] }
  | { readonly type: 'task'; readonly triggers: readonly string[] }
  | { readonly type: 'path'; readonly paths: readonly string[] };

/** Knowledge, mostly from a file, that the agent gets when it is needed. */
export interface Skill {
  readonly name: string;
  readonly content: string;
  /** Absent: always in the prompt. */
  readonly trigger?: Trigger;
  /** The file it was read from. */
  readonly source?: string;
  readonly description?: string;
  readonly inputs?: readonly { readonly name: string; readonly description: string }[];
  /** Whether it is a `SKILL.md`: the prompt has only its description, and the agent reads the file on demand. */
  readonly isAgentSkill?: boolean;
  /** Not listed for the model, only triggered. */
  readonly isHidden?: boolean;
  /** MCP servers that it brings. */
  readonly mcpServers?: McpConfig;
}

const AGENT_SKILL_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_DESCRIPTION = 1_024;

export interface SkillFile {
  readonly path: string;
  readonly source: string;
  /** The name if the file states none. */
  readonly fallbackName: string;
  /** The folder's name if the file is a `SKILL.md`. */
  readonly folder?: string;
  /** Whether the name may differ from the folder's, as in plugins. */
  readonly hasFreeName?: boolean;
  /** Content of the `.mcp.json` beside it, if there is one. */
  readonly servers?: string;
}

/** Parses a skill. Throws a SyntaxError or TypeError that states the fault and its line. */
export async function parseSkill(file: SkillFile): Promise<Skill> {
  const { path, source, fallbackName, folder, hasFreeName = false } = file;
  const document = await parseDocument(source);
  const { attributes, body } = document;
  const name = optionalText(document, 'name') ?? fallbackName;
  const mayBeCalled = hasFreeName || (AGENT_SKILL_NAME.test(name) && name.length <= 64 && name === folder);
  if (folder !== undefined && !mayBeCalled)
    throw wrong(
      document,
      'name',
      `its name "${name}" must match its folder and consist of lower-case letters, digits and hyphens`,
    );
  const inputs = inputsOf(document);
  const trigger = triggerOf(document, inputs, name);
  const description = optionalText(document, 'description');
  const servers = serversOf(file, attributes['mcp_tools']);
  return {
    name,
    content:
      inputs.length > 0 || (trigger?.type === 'task' && /\$\{\w+\}/.test(body))
        ? `${body.trim()}\n\n${ASK_FOR_INPUTS}`
        : body.trim(),
    source: path,
    ...defined({
      trigger,
      description: description === undefined ? undefined : headOf(description, MAX_DESCRIPTION),
    }),
    ...(inputs.length === 0 ? {} : { inputs }),
    ...(folder === undefined ? {} : { isAgentSkill: true }),
    ...(isHidden(attributes, trigger) ? { isHidden: true } : {}),
    ...defined({ mcpServers: servers }),
  };
}

const ASK_FOR_INPUTS =
  'Placeholders such as ${name} above stand for values from the user. Ask the user for missing values. Do not guess them.';

function wrong({ lineOf }: Document, key: string, what: string): TypeError {
  return new TypeError(`line ${lineOf(key)}: ${what}`);
}

function triggerOf(document: Document, inputs: readonly unknown[], name: string): Trigger | undefined {
  const paths = wordsOf(document, 'paths');
  if (paths.length > 0) return { type: 'path', paths };
  const triggers = wordsOf(document, 'triggers');
  if (inputs.length > 0) return { type: 'task', triggers: [...new Set([...triggers, `/${name}`])] };
  return triggers.length === 0 ? undefined : { type: 'keyword', keywords: triggers };
}

function isHidden(attributes: { readonly [key: string]: unknown }, trigger: Trigger | undefined): boolean {
  const said = attributes['disable-model-invocation'] ?? attributes['disable_model_invocation'];
  return said === true || said === 'true' || trigger?.type === 'path';
}

function inputsOf(document: Document): { name: string; description: string }[] {
  const value = document.attributes['inputs'];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value))
    throw wrong(document, 'inputs', 'inputs must be a list of names and descriptions');
  return value.map((each: unknown) => {
    const { name, description = '' } = (each ?? {}) as {
      readonly name?: unknown;
      readonly description?: unknown;
    };
    if (typeof name !== 'string') throw wrong(document, 'inputs', 'an input without a name');
    if (typeof description === 'object')
      throw wrong(document, 'inputs', `the description of ${name} must be a text`);
    return { name, description: String(description) };
  });
}

/** The servers in the front matter, and in the file beside a `SKILL.md`. */
function serversOf({ path, servers }: SkillFile, head: unknown): McpConfig | undefined {
  if (head === undefined && servers === undefined) return undefined;
  const said = servers === undefined ? {} : serversBeside(servers);
  const own = head === undefined || head === null ? {} : parseMcpConfig(head);
  return rootedAt({ ...said, ...own }, posix.dirname(path)) as McpConfig;
}

function serversBeside(source: string): McpConfig {
  try {
    return parseMcpConfig(JSON.parse(source));
  } catch (error) {
    throw new TypeError(`the .mcp.json beside it: ${(error as Error).message}`);
  }
}

function optionalText(document: Document, key: string): string | undefined {
  const value = document.attributes[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value.trim() === '') throw wrong(document, key, `${key} must be a text`);
  return value.trim();
}

function wordsOf(document: Document, key: string): string[] {
  const value = document.attributes[key];
  if (value === undefined || value === null) return [];
  const list = wordList(value);
  if (list === undefined) throw wrong(document, key, `${key} must be a list of words`);
  return list;
}
