/**
 * The part of the system prompt that is the same in all conversations with a model, so that providers can cache it: short
 * templates, each of which a file of the same name can replace.
 */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Files, readText } from './read-text.ts';
import { renderTemplate, TemplateError, type Values } from './template.ts';

/** In their order; sections of tools follow `security`. */
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

/** The properties of a tool that the prompt depends on. */
export interface PromptTool {
  readonly name: string;
  /** A section that the prompt has if the tool is present; see `ToolTraits`. */
  readonly promptSection?: { readonly name: string; readonly template: string };
}

export interface PromptPart {
  readonly section: string;
  readonly text: string;
  /** The file that it comes from, or `built in`. */
  readonly source: string;
}

export interface PromptOptions {
  readonly tools: readonly PromptTool[];
  readonly model: string;
  /** Folders with `<section>.j2` files; earlier ones take precedence. */
  readonly folders: readonly PromptFolder[];
  readonly warn: (text: string) => void;
}

export interface PromptFolder {
  readonly files: Files;
  readonly path: string;
  /** Whether the folder may replace the `security` section. False if someone else may have written it. */
  readonly isTrusted: boolean;
}

const BUILT_IN = join(import.meta.dirname, 'prompts');
const BUILT_IN_NAMES: ReadonlySet<string> = new Set([
  ...PROMPT_SECTIONS.filter((section) => section !== 'model').map((section) => `${section}.j2`),
  ...['openai', 'anthropic', 'google'].map((family) => `model-${family}.j2`),
]);

/** Renders all sections. A file that cannot be used causes a warning, and the built-in section is used. */
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
  /** The template of a tool; absent for a built-in file. */
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

/** Lists a folder once: looking for each file takes ten times as long, and most folders do not exist. */
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

/** A maker's models may have their own version of a section. */
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
      warn(`${path} is ignored: a project may not replace the security section`);
      return undefined;
    }
    try {
      const read = (wanted: string) => readText(files, wanted);
      return { section, source: path, text: await renderTemplate(await read(path), path, values, read) };
    } catch (error) {
      const { message } = error as Error;
      const fault = error instanceof TemplateError ? message : `${path} cannot be read: ${message}`;
      warn(`${fault}; the built-in section is used instead`);
      return undefined;
    }
  }
  return undefined;
}

/** The maker of a model, derived from its name; `unknown` if the name does not tell. */
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
