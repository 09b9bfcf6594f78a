import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyOf } from '../../test-support/history-notation.ts';
import type { ActionEvent, Risk } from '../event/kinds.ts';
import { type ConfirmationPolicy, NEVER_CONFIRM, needsConfirmation } from './confirmation.ts';

const [call] = historyOf('a1') as [ActionEvent];
const risky = (risk: Risk): ActionEvent => ({ ...call, security_risk: risk });
const named = (kind: string): ActionEvent => ({ ...risky('HIGH'), action: { kind } });
const { action: _, ...notValid } = risky('HIGH');
const { security_risk: __, ...unrated } = call;

const ALWAYS: ConfirmationPolicy = { kind: 'AlwaysConfirm' };
const above = (threshold: 'LOW' | 'MEDIUM' | 'HIGH', confirmUnknown = true): ConfirmationPolicy => ({
  kind: 'ConfirmRisky',
  threshold,
  confirm_unknown: confirmUnknown,
});

const CASES: readonly (readonly [string, ConfirmationPolicy, readonly ActionEvent[], boolean])[] = [
  ['nothing is called', ALWAYS, [], false],
  ['never', NEVER_CONFIRM, [risky('HIGH')], false],
  ['always', ALWAYS, [risky('LOW')], true],
  ['always, but the call is not valid', ALWAYS, [notValid], false],
  ['always, and one of two calls is valid', ALWAYS, [notValid, risky('LOW')], true],
  ['finish alone', ALWAYS, [named('FinishAction')], false],
  ['a thought alone', ALWAYS, [named('ThinkAction')], false],
  ['a thought and another call', ALWAYS, [named('ThinkAction'), risky('LOW')], true],
  ['a thought and a call that is not valid', ALWAYS, [named('ThinkAction'), notValid], false],
  ['two thoughts', ALWAYS, [named('ThinkAction'), named('ThinkAction')], true],
  ['below the threshold', above('MEDIUM'), [risky('LOW')], false],
  ['at the threshold', above('MEDIUM'), [risky('MEDIUM')], true],
  ['above the threshold', above('MEDIUM'), [risky('HIGH')], true],
  ['low at the lowest threshold', above('LOW'), [risky('LOW')], true],
  ['medium below the highest threshold', above('HIGH'), [risky('MEDIUM')], false],
  ['one of several is risky', above('HIGH'), [risky('LOW'), risky('HIGH')], true],
  ['unknown is asked about', above('HIGH'), [risky('UNKNOWN')], true],
  ['unknown is not asked about', above('LOW', false), [risky('UNKNOWN')], false],
  ['no risk is an unknown risk', above('HIGH'), [unrated], true],
  ['no risk is not asked about', above('LOW', false), [unrated], false],
];

for (const [about, policy, actions, expected] of CASES)
  test(`confirmation, ${policy.kind}: ${about}`, () => {
    assert.equal(needsConfirmation(policy, actions), expected);
  });
