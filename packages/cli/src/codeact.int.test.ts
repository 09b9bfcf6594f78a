/** One conversation of a scripted CodeActAgent that uses everything there is, and reads well afterwards. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Agent, adaptTool, openLocalWorkspace, runHeadless, specialise } from '@longhand/sdk';
import { type Reply, startModelServer } from '@longhand/sdk/testing';
import { builtinAgents, builtinTools } from '@longhand/tools';
import { makePlace } from '../test-support/command.ts';

const call = (name: string, args: object): Reply => ({ toolCalls: [{ name, arguments: { ...args } }] });
const EVERYTHING = join(
  import.meta.dirname,
  '../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

/** The turns of the agent, but for the address of the page. */
const turns = (folder: string, page: string): readonly Reply[] => [
  call('execute_bash', { command: "printf 'def area(a, b):\\n    return a + b\\n' > geometry.py; ls" }),
  call('str_replace_editor', {
    command: 'str_replace',
    path: join(folder, 'geometry.py'),
    old_str: 'a + b',
    new_str: 'a * b',
  }),
  call('execute_ipython_cell', { code: 'from geometry import area\nprint("area is", area(6, 7))' }),
  call('browser', { code: `goto('${page}')` }),
  call('echo', { message: 'said over MCP' }),
  call('task', {
    description: 'count',
    prompt: 'Count the lines of geometry.py.',
    subagent_type: 'general-purpose',
  }),
  call('web_search', { query: 'area of a rectangle', kind: 'search' }),
  call('finish', { message: 'All of it was used.' }),
];

const HELPER: readonly Reply[] = [
  call('terminal', { command: 'wc -l < geometry.py' }),
  call('finish', { message: 'It has 2 lines.' }),
];

function has(...command: readonly [string, ...string[]]): boolean {
  try {
    execFileSync(command[0], command.slice(1), { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('a scripted CodeAct run: bash, editor, IPython, browser, MCP, delegation and a foreign tool in one conversation', async (t) => {
  if (!has('which', 'chromium')) return t.skip('needs chromium');
  if (!has('/usr/bin/python3', '-c', 'import ipykernel')) return t.skip('needs ipykernel');
  const place = makePlace(t);
  const pages = createServer((_, response) =>
    response
      .setHeader('content-type', 'text/html')
      .end('<title>Shapes</title><h1>Rectangles</h1><a href="/more">More of them</a>'),
  );
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  const script = turns(place.work, `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
  const server = await startModelServer(({ body }) => {
    const { messages } = body as unknown as { readonly messages: readonly { readonly role: string }[] };
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    const isHelper = !JSON.stringify(messages).includes('Use everything');
    return (isHelper ? HELPER : script)[turn] ?? { text: 'There is nothing left.' };
  });
  t.after(async () => {
    pages.close();
    await server.close();
  });

  const search = await adaptTool({
    name: 'web_search',
    description: 'Looks for pages.',
    params_json_schema: {
      type: 'object',
      properties: { query: { type: 'string' }, kind: { type: 'string' } },
      required: ['query'],
    },
    on_invoke_tool: (_context: unknown, json: string) =>
      `found by ${(JSON.parse(json) as { kind: string }).kind}: a * b`,
  });
  const codeact = builtinAgents.find(({ name }) => name === 'codeact');
  assert.ok(codeact !== undefined);
  const agent: Agent = {
    ...specialise(
      { llm: { model: 'x', endpoint: { baseUrl: `${server.url}/v1` } }, tools: [] },
      codeact,
      builtinTools,
    ),
    mcpConfig: { everything: { command: process.execPath, args: [EVERYTHING, 'stdio'] } },
  };
  const conversationsDir = join(place.home, '.longhand/conversations');
  const warnings: string[] = [];
  const result = await runHeadless(
    {
      agent: { ...agent, tools: [...agent.tools, { name: search.name, params: {} }] },
      tools: [...builtinTools, search],
      agents: builtinAgents,
      workspace: openLocalWorkspace(place.work),
      place: { conversationsDir, durability: 'process' },
      recording: { onWarning: (text) => warnings.push(text) },
    },
    'Use everything.',
  );
  assert.deepEqual(result.outcome, { kind: 'finished', message: 'All of it was used.' }, warnings.join('\n'));
  assert.match(readFileSync(join(place.work, 'geometry.py'), 'utf8'), /a \* b/);

  const { stdout } = await place.longhand(['show', result.id]);
  for (const shown of [
    /\$ printf 'def area/,
    />>> from geometry import area\n +\.\.\. print/,
    /delegates to general-purpose: Count the lines/,
    /geometry\.py/,
    /\+ +return a \* b/,
    /area is 42/,
    /Rectangles/,
    /said over MCP/,
    /It has 2 lines\./,
    /found by search: a \* b/,
    /All of it was used\./,
  ])
    assert.match(stdout, shown);
  assert.doesNotMatch(stdout, /\[object Object\]|undefined|data:image/);
  assert.ok(stdout.split('\n').every((line) => line.length < 500));

  const v0 = JSON.parse((await place.longhand(['export', result.id])).stdout) as readonly {
    readonly action?: string;
    readonly observation?: string;
  }[];
  const kinds = v0.map(({ action, observation }) => action ?? observation);
  for (const kind of ['run', 'edit', 'run_ipython', 'browse_interactive', 'browse'])
    assert.ok(kinds.includes(kind), `${kind} in ${kinds}`);
});
