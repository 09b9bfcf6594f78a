import type { Observation, Tool } from '@longhand/sdk';

/** The section of the system prompt that comes with a browser, whoever provides it. */
export const BROWSER_SECTION: NonNullable<Tool['promptSection']> = {
  name: 'browser',
  template: `<BROWSER>
- Use the browser for pages that need it: those that run scripts, or that you must see. For the text of a page a request from the shell is enough.
- Look at the page again after each action; what you saw before may no longer be there.
</BROWSER>
`,
};

/** What tools that show web pages have in common. */
export const PAGE_TRAITS: Pick<Tool, 'promptSection' | 'hiddenWhenOld'> = {
  promptSection: BROWSER_SECTION,
  hiddenWhenOld: ({ url }: Observation) =>
    `Visited URL ${typeof url === 'string' ? url : 'unknown'}\nContent omitted`,
};
