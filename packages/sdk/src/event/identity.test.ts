import assert from 'node:assert/strict';
import { test } from 'node:test';
import { millisecondsOf, systemClock, timestampOf } from './identity.ts';

test('the clock is monotonic, has fractions, and agrees with the date', () => {
  const before = Date.now();
  const [first, second] = [systemClock.now(), systemClock.now()];
  assert.ok(first < second);
  assert.ok(first > before - 5_000 && second < before + 5_000);
  assert.match(systemClock.newId(), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.notEqual(systemClock.newId(), systemClock.newId());
});

test('a time is written in local time, to the microsecond', () => {
  const at = new Date(2026, 0, 2, 3, 4, 5, 6).getTime();
  assert.equal(timestampOf(at), '2026-01-02T03:04:05.006000');
  assert.equal(timestampOf(at + 0.007), '2026-01-02T03:04:05.006007');
  assert.equal(timestampOf(at - 6), '2026-01-02T03:04:05');
  assert.equal(timestampOf(new Date(2026, 10, 22, 13, 14, 15).getTime()), '2026-11-22T13:14:15');
});

const UTC: readonly (readonly [timestamp: string | undefined, ms: number | undefined])[] = [
  ['2026-01-02T03:04:05', Date.UTC(2026, 0, 2, 3, 4, 5)],
  ['2026-12-31 23:59:59.5', Date.UTC(2026, 11, 31, 23, 59, 59, 500)],
  ['2026-01-02T03:04:05.006007', Date.UTC(2026, 0, 2, 3, 4, 5, 6) + 0.007],
  ['2026-01-02T03:04:05.0060079', Date.UTC(2026, 0, 2, 3, 4, 5, 6) + 0.007],
  ['2026-01-02', undefined],
  ['yesterday', undefined],
  ['', undefined],
  [undefined, undefined],
];

for (const [timestamp, ms] of UTC)
  test(`the time ${timestamp} is read`, () => {
    assert.equal(millisecondsOf(timestamp, Date.UTC), ms);
  });

test('a time that was written is read back', () => {
  for (const ms of [0, 1_750_000_000_000, 1_750_000_000_123.5, Date.now()])
    assert.equal(millisecondsOf(timestampOf(ms)), ms);
});
