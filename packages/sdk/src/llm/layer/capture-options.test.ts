import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LlmConfig } from '../config/llm-config.ts';
import { captureOptions } from './capture-options.ts';

const mask = (text: string) => text;

function options(env: object, completionLog?: LlmConfig['completionLog']) {
  const found = captureOptions({ model: 'm', completionLog }, env as { [name: string]: string }, mask);
  if (found === null) return null;
  const { mask: _, ...rest } = found;
  return rest;
}

const NOTHING = { requestsDir: null, rawResponses: false, completionsDir: null };

test('nothing is captured unless it was requested', () => {
  assert.equal(options({}), null);
  assert.equal(options({ LONGHAND_DUMP_REQUEST_DIR: 'd', LOG_DIR: 'l' }), null);
  assert.equal(options({}, { enabled: false, folder: 'f' }), null);
});

for (const word of ['1', 'true', 'TRUE', 'yes', 'on'])
  test(`LONGHAND_DUMP_REQUEST=${word} dumps requests`, () => {
    assert.deepEqual(options({ LONGHAND_DUMP_REQUEST: word }), { ...NOTHING, requestsDir: 'logs/requests' });
  });

for (const word of ['', '0', 'false', 'no', 'off', 'only'])
  test(`LONGHAND_DUMP_REQUEST=${word} does not`, () => {
    assert.equal(options({ LONGHAND_DUMP_REQUEST: word }), null);
  });

test('raw responses stand beside the requests', () => {
  assert.deepEqual(options({ LONGHAND_CAPTURE_RAW_RESPONSE: '1', LONGHAND_DUMP_REQUEST_DIR: 'd' }), {
    requestsDir: 'd',
    rawResponses: true,
    completionsDir: null,
  });
});

test('the names of OpenHands work too; Longhand’s own take precedence', () => {
  assert.equal(options({ OPENHANDS_DUMP_REQUEST: '1' })?.requestsDir, 'logs/requests');
  assert.equal(options({ OPENHANDS_DUMP_REQUEST: '1', LONGHAND_DUMP_REQUEST: '0' }), null);
});

test('completion logs go to their folder, else to that of logs', () => {
  const folderWith = (env: object, folder?: string) =>
    options(env, { enabled: true, folder })?.completionsDir;
  assert.equal(folderWith({ LOG_DIR: 'l' }, 'f'), 'f');
  assert.equal(folderWith({ LOG_DIR: 'l' }), 'l/completions');
  assert.equal(folderWith({}), 'logs/completions');
  assert.deepEqual(options({}, { enabled: true, folder: 'f' }), { ...NOTHING, completionsDir: 'f' });
});

test('the function that masks secrets is passed on', () => {
  assert.equal(captureOptions({ model: 'm' }, { LONGHAND_DUMP_REQUEST: '1' }, mask)?.mask, mask);
});
