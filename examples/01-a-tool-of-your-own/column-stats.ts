/** A tool in one file: `column_stats` adds up a column of a CSV file. */
import { resolve } from 'node:path';
import { defineTool, ToolError, text } from '@longhand/sdk';
import * as z from 'zod';

export const columnStats = defineTool({
  name: 'column_stats',
  description: 'Number, sum and mean of a numeric column of a CSV file whose first line names the columns.',
  input: z.object({
    path: z.string().describe('The file, from the working folder.'),
    column: z.string().describe('The name of the column.'),
    digits: z.int().min(0).max(10).default(2).describe('Digits behind the point.'),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  // It only reads: any number of calls may run side by side. One that writes would name `file:<path>`.
  resources: () => [],

  run: async ({ path, column, digits }, { workspace }) => {
    const bytes = await workspace.readFile(resolve(workspace.root, path));
    const lines = Buffer.from(bytes).toString().trim().split(/\r?\n/);
    const [head = [], ...rows] = lines.map((line) => line.split(','));
    const index = head.indexOf(column);
    if (index < 0) throw new ToolError(`There is no column "${column}"; there are: ${head.join(', ')}.`);
    const values = rows.map((row) => Number(row[index])).filter(Number.isFinite);
    const sum = values.reduce((total, value) => total + value, 0);
    const mean = (sum / values.length).toFixed(digits);
    return { content: [], is_error: false, count: values.length, sum: sum.toFixed(digits), mean };
  },

  // What is stored is the observation above; the model reads it so,
  render: ({ count, sum, mean }) => [text(`${count} values, sum ${sum}, mean ${mean}`)],
  // and people so, in the place of arguments and result.
  show: {
    call: ({ path, column }) => `adds up ${column} of ${path}`,
    result: ({ count, sum }) => `Σ ${sum} (${count})`,
  },
});
