/** The sections of a config file, checked key by key against the table of sections. */
import { readSetting, type Setting, type ValueOf } from '@longhand/sdk/internal';
import { defined, nearest, ownValue } from '@longhand/sdk/value';
import { UsageError } from '../usage-error.ts';
import {
  type AGENT_KEYS,
  type CORE_KEYS,
  type LLM_SECTION_KEYS,
  type SANDBOX_KEYS,
  SECTIONS,
  type Section,
} from './sections.ts';
import { linesIn } from './toml-lines.ts';
import { isTable, type Table } from './toml-values.ts';

/** A section's keys with their values as the program holds them; empty texts are left out. */
export type Values<Keys extends { readonly [key: string]: Setting }> = {
  readonly [K in keyof Keys]?: ValueOf<Keys[K]['kind']>;
};

export interface SectionValues {
  readonly core: Values<typeof CORE_KEYS>;
  readonly llm: Values<typeof LLM_SECTION_KEYS>;
  readonly agent: Values<typeof AGENT_KEYS>;
  readonly sandbox: Values<typeof SANDBOX_KEYS>;
}

/** Of `[llm.NAME]` and `[agent.NAME]`, by NAME. */
export interface GroupValues {
  readonly llm: { readonly [name: string]: SectionValues['llm'] };
  readonly agent: { readonly [name: string]: SectionValues['agent'] };
}

export interface SectionsRead {
  readonly values: SectionValues;
  readonly groups: GroupValues;
  /** What is misspelled. */
  readonly warnings: readonly string[];
  /** What V0 knows, and has no effect here. */
  readonly ignored: readonly string[];
}

const NAMES = Object.keys(SECTIONS);
/** Those that a file must have, or nearly have, to be one of ours: names such as `mcp` occur in other programs' files too. */
const OWN_NAMES = Object.entries<Section>(SECTIONS).flatMap(([name, { keys }]) =>
  keys === undefined ? [] : [name],
);

/** Whether a file has a section of ours: other programs have a config.toml too. */
export function hasOurSections(table: Table): boolean {
  return Object.keys(table).some((name) => NAMES.includes(name) || nearest(name, OWN_NAMES) !== undefined);
}

/** `source` is the file's text and `shown` its name, for messages. Throws UsageError that names file, line and key. */
export function readSections(table: Table, source: string, shown: string): SectionsRead {
  const lineOf = linesIn(source);
  const placeOf: PlaceOf = (section, key) => `${shown}${lineOf(section, key)}`;
  const values: { [section: string]: object } = { core: {}, llm: {}, agent: {}, sandbox: {} };
  const groups: { [section: string]: object } = { llm: {}, agent: {} };
  const warnings: string[] = [];
  const ignored: string[] = [];
  for (const [name, content] of Object.entries(table)) {
    const section = ownValue<Section>(SECTIONS, name);
    if (section === undefined)
      warnings.push(`${placeOf(name)}: unknown section [${name}]${hint(name, NAMES, '[]')}`);
    else if (section.isIgnored) ignored.push(`[${name}]`);
    else if (section.keys !== undefined) {
      if (!isTable(content))
        throw new UsageError(`${placeOf(name)}: "${name}" is a section: write [${name}]`);
      const read = readKeys(section, name, content, placeOf);
      values[name] = read.values;
      groups[name] = read.groups;
      warnings.push(...read.warnings);
      ignored.push(...read.ignored);
    }
  }
  return {
    values: values as unknown as SectionValues,
    groups: groups as unknown as GroupValues,
    warnings,
    ignored,
  };
}

type PlaceOf = (section: string, key?: string) => string;

interface KeysRead {
  readonly values: object;
  readonly groups: { readonly [name: string]: object };
  readonly warnings: readonly string[];
  readonly ignored: readonly string[];
}

/** `name` is that of the section, or of a group in it: `llm.fast`. */
function readKeys(section: Section, name: string, content: Table, placeOf: PlaceOf): KeysRead {
  const { keys = {}, ignored: ignoredKeys = [] } = section;
  const values: { [key: string]: unknown } = {};
  const groups: { [name: string]: object } = {};
  const warnings: string[] = [];
  const ignored: string[] = [];
  for (const [key, value] of Object.entries(content)) {
    const setting = ownValue<Setting>(keys, key);
    const place = placeOf(name, key);
    if (setting !== undefined) values[key] = readValue(setting, value, `${place}: ${key}`);
    else if (section.groups !== undefined && isTable(value)) {
      const group = readKeys({ ...section, groups: undefined }, `${name}.${key}`, value, placeOf);
      groups[key] = group.values;
      warnings.push(...group.warnings);
      ignored.push(...group.ignored);
    } else if (ignoredKeys.includes(key)) ignored.push(`[${name}] ${key}`);
    else warnings.push(`${place}: unknown key "${key}" in [${name}]${hint(key, Object.keys(keys))}`);
  }
  return { values: defined(values), groups, warnings, ignored };
}

function readValue({ kind }: Setting, value: unknown, place: string): unknown {
  try {
    return readSetting(kind, value);
  } catch (error) {
    throw new UsageError(`${place} ${(error as Error).message}`);
  }
}

function hint(word: string, names: readonly string[], quotes: '""' | '[]' = '""'): string {
  const near = nearest(word, names);
  return near === undefined ? '' : `; did you mean ${quotes[0]}${near}${quotes[1]}?`;
}
