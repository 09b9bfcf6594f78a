import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agent } from '../agent/agent.ts';
import type { LlmConfig } from '../llm/config/llm-config.ts';
import type { StoredBaseState } from './store/base-state.ts';
import { withStoredCondenser } from './stored-settings.ts';

const at = (baseUrl: string): LlmConfig => ({ model: 'm', endpoint: { baseUrl } });
const agent: Agent = { llm: at('new'), tools: [] };
const small = (baseUrl: string): LlmConfig => ({ model: 'small', endpoint: { baseUrl } });
const condenser = { type: 'noop' } as const;

/** The condenser and its model that an agent gets from a stored one at the address `old`. */
function taken(given: Partial<Agent>, stored: Partial<Agent>, isImported = false) {
  const before = {
    agent: { llm: at('old'), tools: [], ...stored },
    isImported,
  } as unknown as StoredBaseState;
  const { condenser: type, llms } = withStoredCondenser({ ...agent, ...given }, before);
  return { type, llms };
}

test('the stored condenser is used unless the agent names one or the stored agent was imported', () => {
  const none = { type: undefined, llms: undefined };
  const recent = { type: 'recent' } as unknown as NonNullable<Agent['condenser']>;
  assert.deepEqual(taken({}, { condenser }), { type: condenser, llms: undefined });
  assert.deepEqual(taken({ condenser: recent }, { condenser }), { type: recent, llms: undefined });
  assert.deepEqual(taken({}, { condenser }, true), none);
  assert.deepEqual(taken({}, { llms: { condenser: small('old') } }), none);
  assert.equal(withStoredCondenser(agent, undefined), agent);
});

test('its model moves with the agent’s address, and is not used with another model', () => {
  const llms = { condenser: small('old') };
  const judge = at('judge');
  assert.deepEqual(taken({}, { condenser, llms }).llms, { condenser: small('new') });
  assert.deepEqual(taken({ llms: { judge } }, { condenser, llms }).llms, { judge, condenser: small('new') });
  const elsewhere = { condenser: small('elsewhere') };
  assert.deepEqual(taken({}, { condenser, llms: elsewhere }).llms, elsewhere);
  assert.equal(taken({ llm: { model: 'other' } }, { condenser, llms }).llms, undefined);
  assert.deepEqual(taken({ llms: elsewhere }, { condenser, llms }).llms, elsewhere);
});
