import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, openInMemory } from '../../../test-support/open-in-memory.ts';
import type { ToolSchema } from '../../llm/llm.ts';
import { scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import type { ConfirmationPolicy } from '../../security/confirmation.ts';

const POLICIES: readonly (readonly [ConfirmationPolicy, readonly string[]])[] = [
  [{ kind: 'NeverConfirm' }, ['words']],
  [{ kind: 'AlwaysConfirm' }, ['words']],
  [{ kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: true }, ['words', 'security_risk']],
];

for (const [confirmation, expected] of POLICIES) {
  test(`${confirmation.kind}: the model has to give ${expected.join(' and ')}`, async (t) => {
    const llm = scriptedLlm({ turns: [{ tool_calls: [call('done', 'finish')] }] });
    const described: (readonly ToolSchema[])[] = [];
    const { conversation } = await openInMemory(
      t,
      {
        ...llm,
        complete: (prompt, options) => {
          described.push(prompt.tools);
          return llm.complete(prompt, options);
        },
      },
      { oversight: { confirmation } },
    );
    await conversation.send('go');
    await conversation.run();
    assert.deepEqual(
      described[0]?.map(({ parameters }) => parameters['required']),
      [expected, expected],
    );
  });
}
