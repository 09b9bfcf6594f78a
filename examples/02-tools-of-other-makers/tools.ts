/** Three tools that were written for other agents, as they are: no line of them knows of Longhand. */
import { setTimeout as wait } from 'node:timers/promises';
import { tool as openAiTool } from '@openai/agents-core';
import { tool as aiTool } from 'ai';
import * as z from 'zod';

const SEARCH = process.env['SEARCH_URL'] ?? 'https://en.wikipedia.org/w/api.php';

/** Of `@openai/agents`; `errorFunction: null`, so that what goes wrong is told. One parameter is called `kind`. */
export const webSearch = openAiTool({
  name: 'web_search',
  description: 'Finds pages of Wikipedia: by their words (kind "search"), or by their title (kind "title").',
  parameters: z.object({
    kind: z.enum(['search', 'title']),
    query: z.string(),
    num_results: z.int().max(20),
  }),
  errorFunction: null,
  execute: async ({ kind, query, num_results }) => {
    const url = new URL(SEARCH);
    const asked = { action: 'query', list: 'search', format: 'json', srsearch: query };
    const how = { srwhat: kind === 'title' ? 'nearmatch' : 'text', srlimit: String(num_results) };
    url.search = new URLSearchParams({ ...asked, ...how }).toString();
    const response = await fetch(url);
    if (!response.ok) throw new Error(`the search answered with status ${response.status}`);
    const { query: found } = (await response.json()) as { query: { search: { title: string }[] } };
    return found.search.map(({ title }) => title).join('\n') || 'Nothing was found.';
  },
});

/** Of the AI SDK. */
export const done = aiTool({
  description: 'Says that the task is done. Call it at the end.',
  inputSchema: z.object({ answer: z.string() }),
  execute: ({ answer }) => answer,
});

/** A function with a JSON Schema, in the old signature: a context, and the arguments as JSON text. */
export const sleep = {
  name: 'sleep',
  description: 'Waits for some seconds.',
  parameters: { type: 'object', properties: { seconds: { type: 'number' } }, required: ['seconds'] },
  execute: async (_context: unknown, paramsJson: string) => {
    const { seconds } = JSON.parse(paramsJson) as { seconds: number };
    await wait(seconds * 1_000);
    return `Waited for ${seconds} s.`;
  },
};
