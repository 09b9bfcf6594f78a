import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takesOutputAlone } from './to-model-output.ts';

type Convert = (...args: never[]) => unknown;
const json = (value: unknown) => ({ type: 'json', value });

const ALONE: readonly Convert[] = [
  (output: unknown) => json(output),
  (output: { text: string }) => json(output.text),
  ({ rows, total }: { rows: number; total: number }) => json([rows, total]),
  async (result: unknown) => json(result),
  function named(result: unknown) {
    return json(result);
  },
  { toModelOutput: (r: unknown) => json(r) }.toModelOutput,
  {
    toModelOutput(result: unknown) {
      return json(result);
    },
  }.toModelOutput,
];
const WITH_CALL: readonly Convert[] = [
  ({ output }: { output: unknown }) => json(output),
  ({ output: { rows } }: { output: { rows: number } }) => json(rows),
  ({ toolCallId }: { toolCallId: string }) => json(toolCallId),
  async (options: { output: unknown }) => json(options.output),
  (options: { output: unknown }) => {
    const { output } = options;
    return json(output);
  },
  {
    async toModelOutput({ input, output }: { input: unknown; output: unknown }) {
      return json([input, output]);
    },
  }.toModelOutput,
  ((options: { output: unknown }) => json(options)).bind(null) as Convert,
  () => json('nothing'),
];

for (const convert of ALONE)
  test(`the output alone: ${convert}`, () => assert.equal(takesOutputAlone(convert), true));
for (const convert of WITH_CALL)
  test(`the output with its call: ${convert}`, () => assert.equal(takesOutputAlone(convert), false));
