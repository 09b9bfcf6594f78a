/** A tool in one file: `column_stats` adds up a column of a CSV file. */
import { resolve } from 'node:path';
import { defineTool, ToolError, text } from '@longhand/sdk';
import * as z from 'zod';

export const columnStats = defineTool({
  name: 'column_stats',
  description: 'Computes count, sum and mean of a numeric CSV column. The first line must name the columns.',
  input: z.object({
    path: z.string().describe('Path of the file, relative to the working folder.'),
    column: z.string().describe('The name of the column.'),
    digits: z.int().min(0).max(10).default(2).describe('Digits after the decimal point.'),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  // The tool only reads, so calls may run in parallel. A tool that writes would return `file:<path>`.
  resources: () => [],

  run: async ({ path, column, digits }, { workspace }) => {
    const bytes = await workspace.readFile(resolve(workspace.root, path));
    const lines = Buffer.from(bytes).toString().trim().split(/\r?\n/);
    const [head = [], ...rows] = lines.map((line) => line.split(','));
    const index = head.indexOf(column);
    if (index < 0) throw new ToolError(`There is no column "${column}". Columns: ${head.join(', ')}.`);
    const values = rows.map((row) => Number(row[index])).filter(Number.isFinite);
    const sum = values.reduce((total, value) => total + value, 0);
    const mean = (sum / values.length).toFixed(digits);
    return { content: [], is_error: false, count: values.length, sum: sum.toFixed(digits), mean };
  },

  // The observation above is stored. This is what the model sees of it,
  render: ({ count, sum, mean }) => [text(`${count} values, sum ${sum}, mean ${mean}`)],
  // and this is what people see instead of the arguments and the result.
  show: {
    call: ({ path, column }) => `adds up ${column} of ${path}`,
    result: ({ count, sum }) => `Σ ${sum} (${count})`,
  },
});
