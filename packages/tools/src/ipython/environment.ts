/** Pagers would wait for keys that nobody presses, and cells must not see our own API key. */
export const ENVIRONMENT: { readonly [name: string]: string | undefined } = {
  AI_AGENT: process.env['AI_AGENT'] || 'longhand',
  PAGER: process.env['PAGER'] ?? 'cat',
  GIT_PAGER: process.env['GIT_PAGER'] ?? 'cat',
  LLM_API_KEY: undefined,
  SESSION_API_KEY: undefined,
  // Independent of the locale.
  PYTHONIOENCODING: 'utf-8',
};
