/** Programs that page wait for keys that nobody presses; our own key is not the agent's. */
export const ENVIRONMENT: { readonly [name: string]: string | undefined } = {
  AI_AGENT: process.env['AI_AGENT'] || 'longhand',
  PAGER: process.env['PAGER'] ?? 'cat',
  GIT_PAGER: process.env['GIT_PAGER'] ?? 'cat',
  LLM_API_KEY: undefined,
  SESSION_API_KEY: undefined,
  // The same everywhere, whatever the locale.
  PYTHONIOENCODING: 'utf-8',
};
