/**
 * The part of the system prompt that is the same in every conversation with one model, so that providers can cache it: short
 * templates, each of which can be replaced by a file of the same name.
 */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Files, readText } from './read-text.ts';
import { renderTemplate, TemplateError, type Values } from './template.ts';

/** In the order in which they stand; sections that tools bring follow `security`. */
export const PROMPT_SECTIONS = [
  'role',
  'working',
  'steps',
  'files',
  'git',
  'security',
  'trouble',
  'model',
] as const;

/** What the prompt depends on of a tool. */
export interface PromptTool {
  readonly name: string;
  /** A section that stands in the prompt when the tool is there; see `ToolTraits`. */
  readonly promptSection?: { readonly name: string; readonly template: string };
}

export interface PromptPart {
  readonly section: string;
  readonly text: string;
  /** The file that it comes from; `built in` for ours. */
  readonly source: string;
}

export interface PromptOptions {
  readonly tools: readonly PromptTool[];
  readonly model: string;
  /** Folders with `<section>.j2`, the one that counts first. */
  readonly folders: readonly PromptFolder[];
  readonly warn: (text: string) => void;
}

export interface PromptFolder {
  readonly files: Files;
  readonly path: string;
  /** A folder that somebody else may have made does not say what is safe. */
  readonly isTrusted: boolean;
}

const BUILT_IN = join(import.meta.dirname, 'prompts');
const BUILT_IN_NAMES: ReadonlySet<string> = new Set([
  ...PROMPT_SECTIONS.filter((section) => section !== 'model').map((section) => `${section}.j2`),
  ...['openai', 'anthropic', 'google'].map((family) => `model-${family}.j2`),
]);

/** A file that cannot be used is warned of, and ours takes its place. */
export async function systemPromptParts(options: PromptOptions): Promise<PromptPart[]> {
  const names = options.tools.map(({ name }) => name);
  const values: Values = { tools: names, family: familyOf(options.model), model: options.model };
  const folders = await Promise.all(options.folders.map(withNames));
  const parts = await Promise.all(
    sectionsFor(options.tools).map((section) => part(section, values, { ...options, folders })),
  );
  return parts.filter(({ text }) => text !== '');
}

interface Section {
  readonly name: string;
  /** Of a tool; absent: a file of ours. */
  readonly template?: string;
}

function sectionsFor(tools: readonly PromptTool[]): readonly Section[] {
  const brought = new Map<string, Section>();
  const own: ReadonlySet<string> = new Set(PROMPT_SECTIONS);
  for (const { promptSection: section } of tools)
    if (section !== undefined && !own.has(section.name) && !brought.has(section.name))
      brought.set(section.name, section);
  return PROMPT_SECTIONS.flatMap((name) =>
    name === 'security' ? [{ name }, ...brought.values()] : [{ name }],
  );
}

export function joinParts(parts: readonly PromptPart[]): string {
  return parts.map(({ text }) => text).join('\n\n');
}

/** A folder is listed once: to look for each file by itself takes ten times as long, and mostly there is none. */
async function withNames(folder: PromptFolder): Promise<ListedFolder> {
  try {
    const entries = await folder.files.list(folder.path);
    return { ...folder, names: new Set(entries.map(({ name }) => name)) };
  } catch {
    return { ...folder, names: new Set() };
  }
}

interface ListedFolder extends PromptFolder {
  readonly names: ReadonlySet<string>;
}

async function part(
  { name: section, template }: Section,
  values: Values,
  options: PromptOptions & { readonly folders: readonly ListedFolder[] },
): Promise<PromptPart> {
  for (const folder of options.folders) {
    const found = await overriding(section, folder, values, options.warn);
    if (found !== undefined) return found;
  }
  if (template !== undefined)
    return { section, source: 'built in', text: await renderTemplate(template, `${section}.j2`, values) };
  const name = fileNames(section, values).find((each) => BUILT_IN_NAMES.has(each));
  if (name === undefined) return { section, source: 'built in', text: '' };
  const source = readFileSync(join(BUILT_IN, name), 'utf8');
  return { section, source: 'built in', text: await renderTemplate(source, name, values) };
}

/** A section may be another for the models of one maker. */
function fileNames(section: string, { family }: Values): string[] {
  return [`${section}-${family}.j2`, `${section}.j2`];
}

async function overriding(
  section: string,
  { files, path: folder, isTrusted, names }: ListedFolder,
  values: Values,
  warn: PromptOptions['warn'],
): Promise<PromptPart | undefined> {
  for (const name of fileNames(section, values).filter((each) => names.has(each))) {
    const path = posix.join(folder, name);
    if (section === 'security' && !isTrusted) {
      warn(`${path} is passed over: what is safe is not for the project to say`);
      return undefined;
    }
    try {
      const read = (wanted: string) => readText(files, wanted);
      return { section, source: path, text: await renderTemplate(await read(path), path, values, read) };
    } catch (error) {
      const { message } = error as Error;
      const fault = error instanceof TemplateError ? message : `${path} cannot be read: ${message}`;
      warn(`${fault}; the section of Longhand's own takes its place`);
      return undefined;
    }
  }
  return undefined;
}

/** Whose model it is, as far as the name tells. */
export function familyOf(model: string): string {
  const families: readonly (readonly [RegExp, string])[] = [
    [/claude/i, 'anthropic'],
    [/gpt|codex|\bo[134]\b/i, 'openai'],
    [/gemini/i, 'google'],
    [/llama/i, 'meta'],
    [/mistral|devstral|codestral|magistral/i, 'mistral'],
    [/deepseek/i, 'deepseek'],
    [/qwen/i, 'alibaba'],
    [/kimi/i, 'moonshot'],
  ];
  return families.find(([pattern]) => pattern.test(model))?.[1] ?? 'unknown';
}
