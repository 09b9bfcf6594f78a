/** The version of the command. A test compares it with package.json, so that nothing has to be read to print it. */
export const VERSION = '0.1.0';
