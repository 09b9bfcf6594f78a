/** What is written about `config.toml` from the table of its sections: the JSON Schema for editors, and tables in the documents. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LlmField, type Setting, settingSchema } from '@longhand/sdk/internal';
import { SECTIONS, type Section } from '../src/config/sections.ts';

const DOCS = join(import.meta.dirname, '../../../docs');

/** The pages that contain tables of keys, each after a line `<!-- keys of [SECTION] -->`. */
export const PAGES = ['models.md', 'reference/configuration.md'].map((name) => join(DOCS, name));

export function configSchema(): object {
  const sections = Object.entries<Section>(SECTIONS);
  const withGroups = sections.filter(([, { groups }]) => groups !== undefined);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    description: 'config.toml',
    type: 'object',
    properties: Object.fromEntries(sections.map(([name, section]) => [name, sectionSchema(name, section)])),
    $defs: Object.fromEntries(withGroups.map(([name, section]) => [name, groupSchema(section)])),
  };
}

function sectionSchema(name: string, section: Section): object {
  const { means, schema, keys, groups, isIgnored } = section;
  if (isIgnored) return { description: means };
  if (keys === undefined) return { description: means, ...schema };
  return {
    description: means,
    type: 'object',
    properties: properties(section),
    additionalProperties: groups === undefined ? false : { $ref: `#/$defs/${name}` },
  };
}

function groupSchema(section: Section): object {
  const { groups } = section;
  return {
    description: groups,
    type: 'object',
    properties: properties(section),
    additionalProperties: false,
  };
}

function properties({ keys = {}, ignored = [] }: Section): object {
  const known = Object.entries(keys).map(([key, setting]) => [key, settingSchema(setting)]);
  const others = ignored.map((key) => [key, { description: 'without effect', deprecated: true }]);
  return Object.fromEntries([...known, ...others]);
}

/** The same page with its tables as they are now. */
export function withTables(page: string): string {
  return page.replace(/(<!-- keys of \[(\w+)\] -->\n\n)(?:\|.*\n)*/g, (_, mark: string, name: string) => {
    const { keys = {} }: Section = SECTIONS[name as keyof typeof SECTIONS];
    return `${mark}${tableOf(keys)}`;
  });
}

function tableOf(keys: { readonly [key: string]: Setting & Partial<LlmField> }): string {
  const isModel = 'model' in keys;
  const head = ['key', 'means', 'default', ...(isModel ? ['member of `llm`'] : [])];
  const rows = Object.entries(keys).map(([key, { kind, means, byDefault = '', group, field }]) => {
    const words = typeof kind === 'string' ? '' : ` (${kind.map((word) => `\`${word}\``).join(', ')})`;
    const member =
      field === undefined ? '`fallbacks`' : `\`${group === undefined ? '' : `${group}.`}${field}\``;
    return [`\`${key}\``, means + words, byDefault, ...(isModel ? [member] : [])];
  });
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('');
}

if (import.meta.main) for (const path of PAGES) writeFileSync(path, withTables(readFileSync(path, 'utf8')));
