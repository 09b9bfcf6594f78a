/** Tools of this task, in the form of the OpenAI Agents SDK: a context and the arguments as JSON text. */

const PAGES: { readonly [word: string]: string } = {
  hexagon: 'A hexagon whose sides are all equal is called equilateral; with equal angles too it is regular.',
};

export const tools = [
  {
    name: 'web_search',
    description: 'Looks for pages.',
    params_json_schema: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        kind: { type: 'string', enum: ['search', 'news'] },
      },
      required: ['query'],
    },
    on_invoke_tool: async (_context: unknown, paramsJson: string): Promise<string> => {
      const { query, kind = 'search' } = JSON.parse(paramsJson) as { query: string; kind?: string };
      const found = Object.entries(PAGES).filter(([word]) => query.toLowerCase().includes(word));
      return JSON.stringify({ kind, query, results: found.map(([, text]) => text) });
    },
  },
];
