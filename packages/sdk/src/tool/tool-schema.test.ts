import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { jsonSchemaInput } from './json-schema-input.ts';
import type { Tool, ToolEnvironment, ToolFactory } from './tool.ts';
import { toolSchema } from './tool-schema.ts';

const input = z.object({ words: z.string() });
const given = { description: 'd', input, run: () => '' };

async function only(factory: ToolFactory): Promise<Tool> {
  const [tool] = await factory.create({} as ToolEnvironment, {});
  return tool as Tool;
}

test('the risk of a call is one of three, and required only where a policy depends on it', async () => {
  const note = await only(defineTool({ ...given, name: 'note' }));
  const { properties, required } = toolSchema(note).parameters as { properties: object; required: string[] };
  assert.deepEqual(Object.keys(properties), ['security_risk', 'summary', 'words']);
  assert.deepEqual(Reflect.get(Reflect.get(properties, 'security_risk'), 'enum'), ['LOW', 'MEDIUM', 'HIGH']);
  assert.deepEqual(required, ['words']);
  const strict = toolSchema(note, { requiresRisk: true });
  assert.deepEqual(strict.parameters, {
    type: 'object',
    properties,
    required: ['words', 'security_risk'],
  });
  assert.deepEqual(toolSchema(note, {}).parameters, { type: 'object', properties, required });
});

test('a tool without required parameters of its own gets one', async () => {
  const free = await only(defineTool({ ...given, name: 'free', input: z.object({}) }));
  assert.equal('required' in toolSchema(free).parameters, false);
  assert.deepEqual(toolSchema(free, { requiresRisk: true }).parameters['required'], ['security_risk']);
});

test('read-only tools, and tools with a parameter of that name, have no parameter for the risk', async () => {
  const look = defineTool({ ...given, name: 'look', annotations: { readOnlyHint: true } });
  const own = z.object({ security_risk: z.string().optional() });
  for (const factory of [look, defineTool({ ...given, name: 'own', input: own })]) {
    const tool = await only(factory);
    assert.deepEqual(toolSchema(tool, { requiresRisk: true }), toolSchema(tool));
  }
});

test('the risk is required of a tool with a foreign schema too, which keeps its keywords', async () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' } },
    additionalProperties: false,
  } as const;
  const foreign = await only(defineTool({ ...given, name: 'far', input: await jsonSchemaInput(schema) }));
  const { required, additionalProperties } = toolSchema(foreign, { requiresRisk: true }).parameters;
  assert.deepEqual([required, additionalProperties], [['security_risk'], false]);
});
