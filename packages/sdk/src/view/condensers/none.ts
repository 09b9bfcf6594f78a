import { type Condenser, KEEP } from './condenser.ts';

/** Leaves everything as it is. */
export const none: Condenser = { handlesRequests: false, condense: async () => KEEP };
