import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeTool } from './describe.ts';
import type { Tool } from './tool.ts';
import { ToolChanges } from './tool-changes.ts';

function toolNamed(name: string, description = 'd'): Tool {
  return {
    name,
    kind: { tool: 'MCPToolDefinition', action: 'MCPToolAction', observation: 'MCPToolObservation' },
    description,
    input: { jsonSchema: {}, parse: (args: object) => args },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    describe: { mcp_tool: { name, description, inputSchema: { type: 'object', properties: {} } } },
    run: () => Promise.reject(new Error('not here')),
  } as Tool;
}

const [a, b] = [toolNamed('a'), toolNamed('b')];

test('tools that stay the same are no change, whatever their order', () => {
  const changes = new ToolChanges();
  changes.begin([a, b], []);
  assert.equal(changes.words, null);
  changes.replaced([b, toolNamed('a')]);
  assert.deepEqual([changes.words, changes.awaitsConsent('a')], [null, false]);
});

test('new, changed and removed tools are listed once, and await consent until a call is approved', () => {
  const changes = new ToolChanges();
  changes.begin([a, b], []);
  changes.replaced([toolNamed('a', 'x'.repeat(400)), toolNamed('c')]);
  assert.equal(
    changes.words,
    `The available tools have changed:\n- a (changed), described as "${'x'.repeat(300)}"\n- c (new), described as "d"\n- b (removed)`,
  );
  assert.deepEqual([changes.awaitsConsent('a'), changes.awaitsConsent('b')], [true, false]);
  changes.recorded();
  assert.deepEqual(
    [changes.words, changes.awaitsConsent('a'), changes.awaitsConsent('c')],
    [null, true, true],
  );
  changes.consented('a');
  assert.deepEqual([changes.awaitsConsent('a'), changes.awaitsConsent('c')], [false, true]);
});

test('a change that is undone before it is reported does not count', () => {
  const changes = new ToolChanges();
  changes.begin([a], []);
  changes.replaced([a, b]);
  changes.replaced([a]);
  assert.equal(changes.words, null);
});

test('many changes are listed in part', () => {
  const changes = new ToolChanges();
  changes.begin([], []);
  changes.replaced(Array.from({ length: 50 }, (_, i) => toolNamed(`t${i}`)));
  assert.match(changes.words ?? '', /- t19 \(new\).*\n- and 30 more$/);
});

test('a system prompt is compared without regard to the order of keys and to nulls; other tools than those of servers are not compared', () => {
  const changes = new ToolChanges();
  const described = describeTool(a);
  const raw = {
    inputSchema: { properties: {}, type: 'object' },
    annotations: undefined,
    ...{ description: 'd', name: 'a' },
  };
  const own = { ...describeTool(b), description: 'older words', mcp_tool: undefined };
  const { mcp_tool: _, ...withoutServer } = own;
  changes.begin(
    [a, { ...b, describe: {} }],
    [{ ...described, mcp_tool: { ...raw, _meta: null, title: null } }, withoutServer],
  );
  assert.equal(changes.words, null);
  changes.begin([toolNamed('a', 'other')], [described]);
  assert.match(changes.words ?? '', /- a \(changed\)/);
});
