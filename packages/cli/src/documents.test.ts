/** The documents list exactly what exists: links, flags, variables, keys, tools, agents, condensers, lines. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { openLocalWorkspace, parseHookConfig, type ToolFactory, type ToolSpec } from '@longhand/sdk';
import {
  CONDENSER_TYPES,
  createToolSet,
  eventSchemas,
  MCP_TOOLS,
  PROMPT_SECTIONS,
  PROVIDERS,
  toolSchema,
} from '@longhand/sdk/internal';
import { builtinAgents, builtinTools } from '@longhand/tools';
import { PAGES, withTables } from '../test-support/config-documents.ts';
import { OWN_LINES } from '../test-support/json-schemas.ts';
import { COMMANDS } from './commands/registry.ts';
import { flagsIn } from './flags/groups.ts';
import { INFORM } from './flags/table.ts';

const ROOT = join(import.meta.dirname, '../../..');
const page = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** The cells of the rows of a page's tables. */
const rows = (path: string) => page(path).match(/^\|.*\|$/gm) ?? [];
/** What stands as code in the text, blocks left out. */
const codes = (words: string) =>
  [...words.replace(/^```[\s\S]*?^```/gm, '').matchAll(/``?([^`]+)``?/g)].map(([, code = '']) => code.trim());

function anchors(source: string): string[] {
  return [...source.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}

for (const path of globSync('{*.md,docs/**/*.md}', { cwd: ROOT })) {
  test(`the links and the files that ${path} names lead somewhere`, () => {
    const lost = [...page(path).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(
      ([link, file = '', anchor]) => {
        const target = file === '' ? path : join(dirname(path), file);
        if (!existsSync(join(ROOT, target))) return [link];
        return anchor === undefined || anchors(page(target)).includes(anchor) ? [] : [link];
      },
    );
    const named = codes(page(path)).filter((code) => /^(sdk|cli|tools)\/src\/[\w./-]+$/.test(code));
    const missing = named.filter((code) => !existsSync(join(ROOT, 'packages', code)));
    assert.deepEqual([...lost, ...missing], []);
  });
}

test('docs/reference/command-line.md has every command and every flag with its aliases; those of a batch stand in docs/batch.md', async () => {
  const reference = page('docs/reference/command-line.md');
  for (const { name, load } of COMMANDS) {
    assert.match(reference, new RegExp(`longhand \\[?${name}\\b`), name);
    const words = name === 'batch' ? reference + page('docs/batch.md') : reference;
    const missing = flagsIn({ ...(await load()).flags, ...INFORM })
      .flatMap((flag) => [flag.name, ...(flag.aliases ?? [])])
      .filter((flag) => !new RegExp(`\`[^\`\n]*--${flag}\\b`).test(words));
    assert.deepEqual(missing, [], name);
  }
});

test('docs/reference/environment.md has every variable that the sources read', () => {
  const sources = globSync('packages/*/src/**/*.ts', { cwd: ROOT }).filter(
    (path) => !/\.test\.ts$|\/testing\//.test(path),
  );
  const read = sources.flatMap((path) =>
    [...page(path).matchAll(/\benv(?:\.|\[')([A-Z][A-Z0-9_]{2,})\b/g)].map(([, name = '']) => name),
  );
  const keys = Object.values(PROVIDERS).flatMap(({ keyVariables = [] }) => keyVariables);
  assert.ok(read.length > 20 && keys.length > 20);
  const told = new Set(codes(page('docs/reference/environment.md')).map((code) => code.replace(/=.*/, '')));
  // Of flags one line tells all; the PATH is that of every program.
  const known = (name: string) => told.has(name) || ['PATH', 'LONGHAND_LOG_LEVEL'].includes(name);
  assert.deepEqual(
    [...new Set([...read, ...keys])].filter((name) => !known(name)),
    [],
  );
});

for (const path of PAGES)
  test(`the tables of keys in ${basename(path)} say what the code says (else run packages/cli/test-support/config-documents.ts)`, () => {
    const source = readFileSync(path, 'utf8');
    assert.match(source, /<!-- keys of /);
    assert.equal(source, withTables(source));
  });

test('docs/models.md has every provider and every feature that can be corrected', () => {
  const models = page('docs/models.md');
  const unnamed = Object.keys(PROVIDERS).filter((name) => !models.includes(`\`${name}/`));
  assert.deepEqual(unnamed, ['ollama_chat'], "it is LiteLLM's second name for ollama");
});

const OWN_TOOLS = builtinTools.filter(({ name }) => name !== MCP_TOOLS);

async function toolsOf(factory: ToolFactory, params: ToolSpec['params'] = {}) {
  const { tools } = await createToolSet([{ name: factory.name, params }], [factory], {
    workspace: openLocalWorkspace(ROOT),
    files: null,
    vision: true,
    inert: true,
    onWarning: () => undefined,
  });
  return tools;
}

test('docs/reference/tools.md has every tool, and what the model passes', async () => {
  const table = rows('docs/reference/tools.md').map((row) => row.split(' | '));
  const cellsOf = (name: string) => table.find(([first = '']) => codes(first).includes(name)) ?? [];
  for (const factory of OWN_TOOLS) {
    assert.ok(cellsOf(factory.name).length > 1, factory.name);
    const tools = await toolsOf(factory);
    for (const tool of tools) {
      const { properties = {} } = toolSchema(tool).parameters as { properties?: object };
      const own = Object.keys(properties).filter((name) => !['summary', 'security_risk'].includes(name));
      const cells = [...cellsOf(tool.name), ...(tools.length > 1 ? [] : cellsOf(factory.name))];
      const told = codes(cells.join(' | '));
      assert.deepEqual(
        own.filter((name) => !told.includes(name)),
        [],
        tool.name,
      );
    }
  }
});

test('the params of every tool stand in docs/reference/tools.md, or on the page of the tool', async () => {
  const told = codes(
    ['reference/tools.md', 'tools/terminal.md', 'tools/browser.md']
      .map((path) => page(`docs/${path}`))
      .join('\n'),
  );
  for (const factory of OWN_TOOLS) {
    const refused = toolsOf(factory, { no_such_param: 1 });
    await assert.rejects(refused, ({ message }: Error) => {
      const params = message.replace(/.* no_such_param; available: /, '').split(', ');
      assert.deepEqual(
        params.filter((name) => name !== 'none' && !told.includes(name)),
        [],
        message,
      );
      return true;
    });
  }
});

test('docs/tools/delegation.md has every agent with its tools', () => {
  const table = rows('docs/tools/delegation.md');
  for (const { name, tools = [] } of builtinAgents) {
    const row = table.find((each) => each.startsWith(`| \`${name}\` |`)) ?? '';
    const like =
      name === 'general-purpose' ? (table.find((each) => each.startsWith('| `CodeActAgent`')) ?? '') : row;
    const missing = tools.map((tool) => tool.name).filter((tool) => !codes(like).includes(tool));
    assert.deepEqual(missing, ['finish', 'think'], name);
    assert.notEqual(row, '', name);
  }
});

test('docs/context.md has every condenser, every section of the prompt and every event of hooks', () => {
  const context = page('docs/context.md');
  const told = codes(context);
  assert.deepEqual(
    [...CONDENSER_TYPES, ...PROMPT_SECTIONS].filter((name) => !told.includes(name)),
    [],
  );
  assert.throws(
    () => parseHookConfig({ no_such_event: [] }),
    ({ message }: Error) => {
      const events = message.replace(/.*the events are: /, '').split(', ');
      assert.deepEqual([events.length, events.filter((name) => !told.includes(name))], [6, []]);
      return true;
    },
  );
});

test('docs/reference/json-lines.md has every line and every kind of event', () => {
  const told = codes(page('docs/reference/json-lines.md'));
  assert.deepEqual(
    [...Object.keys(OWN_LINES), ...Object.keys(eventSchemas())].filter((name) => !told.includes(name)),
    [],
  );
});
