/** The version of the command; a test holds it to package.json, so that nothing has to be read to print it. */
export const VERSION = '0.1.0';
