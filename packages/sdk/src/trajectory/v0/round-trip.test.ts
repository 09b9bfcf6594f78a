import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { randomStory, type Story, VERSION } from '../../../test-support/v0-story.ts';
import { toOpenAi } from '../openai.ts';
import { fromV0 } from './from-v0.ts';
import { toV0 } from './to-v0.ts';

const RUNS = { numRuns: 300 };

const exported = (events: Story['events']) => JSON.stringify(toV0(events, { version: VERSION }), null, 4);

test('V0 export: every conversation becomes the elements that the format requires', () => {
  fc.assert(
    fc.property(randomStory, ({ events, elements }) => {
      const written = toV0(events, { version: VERSION }).map(({ message: _, ...element }) => element);
      assert.deepEqual(written, elements);
    }),
    RUNS,
  );
});

test('V0 import: a file is exported with the same bytes', () => {
  fc.assert(
    fc.property(randomStory, ({ events }) => {
      const file = exported(events);
      assert.equal(exported(fromV0(file).events), file);
    }),
    RUNS,
  );
});

test('V0 import: the model is sent the same messages as before the export', () => {
  fc.assert(
    fc.property(randomStory, ({ events }) => {
      assert.deepEqual(toOpenAi(fromV0(exported(events)).events), toOpenAi(events));
    }),
    RUNS,
  );
});

test('V0 import: an export names the program that wrote the file, not the one that exports it again', () => {
  const file = JSON.stringify([{ id: 0, source: 'agent', action: 'system', args: SYSTEM }]);
  const [system] = toV0(fromV0(file).events, { version: 'another' });
  assert.deepEqual(system?.args, SYSTEM);
});

const SYSTEM = {
  content: 'Be good.',
  tools: [{ type: 'function', function: { name: 'execute_bash', parameters: {} } }],
  openhands_version: '0.62.0',
  agent_class: 'ReadOnlyAgent',
};

test('V0 import: what V0 recalled about the workspace is in the system prompt, and exported as it was', () => {
  const extras = {
    recall_type: 'workspace_context',
    repo_name: 'acme/site',
    repo_directory: 'site',
    repo_branch: 'main',
    repo_instructions: 'Write tests.',
    runtime_hosts: { 'http://localhost:3000': 3000 },
    additional_agent_instructions: '',
    date: '2025-11-20',
    custom_secrets_descriptions: { TOKEN: 'for the registry' },
    conversation_instructions: 'Answer in French.',
    working_dir: '/workspace',
    microagent_knowledge: [{ name: 'git', trigger: 'commit', content: 'Sign it.' }],
  };
  const message = { content: 'commit it' };
  const file = JSON.stringify([
    { id: 0, source: 'agent', action: 'system', args: SYSTEM },
    { id: 1, source: 'user', action: 'message', args: message },
    {
      id: 2,
      source: 'user',
      action: 'recall',
      args: { recall_type: 'workspace_context', query: 'commit it' },
    },
    { id: 4, source: 'environment', cause: 2, observation: 'recall', content: 'Added', extras },
    { id: 5, source: 'user', action: 'message', args: message },
    { id: 6, source: 'user', action: 'recall', args: { recall_type: 'knowledge', query: 'commit it' } },
    { id: 7, source: 'environment', cause: 6, observation: 'null', content: '', extras: {} },
  ]);
  const { events } = fromV0(file);
  assert.deepEqual(toOpenAi(events), [
    {
      role: 'system',
      content: [
        'Be good.',
        '<WORKSPACE>',
        'Working folder: /workspace',
        'Repository: acme/site',
        'Folder of the repository: site',
        'Branch: main',
        'Date: 2025-11-20',
        'Hosts, each with its port: http://localhost:3000 (3000)',
        'Secrets, as environment variables: TOKEN (for the registry)',
        '</WORKSPACE>',
        '',
        'Write tests.',
        '',
        'Answer in French.',
      ].join('\n'),
    },
    {
      role: 'user',
      content:
        'commit it\n<EXTRA_INFO>\nThis was added because of "commit". Use it if it is relevant to the task.\n\nSign it.\n</EXTRA_INFO>',
    },
    { role: 'user', content: 'commit it' },
  ]);
  const [, , , recalled, , , nothing] = toV0(events);
  assert.deepEqual([recalled?.content, recalled?.extras], ['Added', extras]);
  assert.deepEqual([nothing?.observation, nothing?.cause], ['null', 5]);
});
