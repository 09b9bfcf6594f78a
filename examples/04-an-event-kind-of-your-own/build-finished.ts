import { defineEventKind, text } from '@longhand/sdk';
import * as z from 'zod';

/** The project's build has finished, outside of the conversation. */
export const buildFinished = defineEventKind({
  kind: 'BuildFinishedEvent',
  fields: () => ({ branch: z.string(), failures: z.array(z.string()) }),
  toMessage: ({ branch, failures }) => ({
    role: 'user',
    content: [text(`The build of ${branch} finished. Failed: ${failures.join(', ') || 'nothing'}.`)],
  }),
  show: ({ branch, failures }) => `build of ${branch}: ${failures.length} failed`,
});
