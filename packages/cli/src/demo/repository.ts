/** The demo's repository: it finds free time in a calendar. One test fails, and the bug is in another file than it seems. */
export const DEMO_FILES: { readonly [path: string]: string } = {
  'package.json': `{
  "name": "free-time",
  "version": "1.0.0",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  'README.md': `# free-time

Finds the free time between meetings.

\`\`\`js
import { freeSlots } from './src/calendar.js';

freeSlots(['09:00', '17:00'], [['10:00', '11:00']]);
// [['09:00', '10:00'], ['11:00', '17:00']]
\`\`\`

Run the tests with \`npm test\`.
`,
  'src/clock.js': `/** '09:30' as minutes after midnight. */
export function toMinutes(time) {
  const match = /^([01]\\d|2[0-3]):([0-5]\\d)$/.exec(time);
  if (match === null) throw new RangeError(\`not a time of day: \${time}\`);
  return Number(match[1]) * 60 + Number(match[2]);
}

/** 570 as '09:30'. */
export function toTime(minutes) {
  const two = (n) => String(n).padStart(2, '0');
  return \`\${two(Math.floor(minutes / 60))}:\${two(minutes % 60)}\`;
}
`,
  'src/intervals.js': `/** Joins intervals [start, end] that overlap or touch. */
export function merge(intervals) {
  const sorted = intervals.toSorted(([a], [b]) => a - b);
  const merged = [];
  for (const [start, end] of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = end;
    else merged.push([start, end]);
  }
  return merged;
}

/** The parts of an interval that the others leave free. */
export function subtract([from, to], intervals) {
  const rest = [];
  let cursor = from;
  for (const [start, end] of merge(intervals)) {
    if (start > cursor) rest.push([cursor, Math.min(start, to)]);
    cursor = Math.max(cursor, end);
    if (cursor >= to) break;
  }
  if (cursor < to) rest.push([cursor, to]);
  return rest;
}
`,
  'src/calendar.js': `import { toMinutes, toTime } from './clock.js';
import { subtract } from './intervals.js';

/** The times of a working day without a meeting. */
export function freeSlots(day, meetings) {
  const minutes = ([start, end]) => [toMinutes(start), toMinutes(end)];
  return subtract(minutes(day), meetings.map(minutes)).map(([start, end]) => [toTime(start), toTime(end)]);
}
`,
  'test/calendar.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeSlots } from '../src/calendar.js';

const day = ['09:00', '17:00'];

test('a day without meetings is free', () => {
  assert.deepEqual(freeSlots(day, []), [['09:00', '17:00']]);
});

test('meetings in any order leave the time around them', () => {
  assert.deepEqual(freeSlots(day, [['13:00', '14:00'], ['10:00', '11:00']]), [
    ['09:00', '10:00'],
    ['11:00', '13:00'],
    ['14:00', '17:00'],
  ]);
});

test('a short call during a long workshop frees nothing', () => {
  assert.deepEqual(freeSlots(day, [['10:00', '15:00'], ['11:00', '11:30']]), [
    ['09:00', '10:00'],
    ['15:00', '17:00'],
  ]);
});
`,
  'test/clock.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toMinutes, toTime } from '../src/clock.js';

test('times and minutes convert both ways', () => {
  assert.equal(toMinutes('09:30'), 570);
  assert.equal(toTime(570), '09:30');
});

test('an invalid time of day is refused', () => {
  assert.throws(() => toMinutes('24:00'), RangeError);
});
`,
};

export const DEMO_TASK =
  'One of the tests fails. Find the cause, fix it at its source, add a test that would have caught it there, and make sure that all tests pass.';
