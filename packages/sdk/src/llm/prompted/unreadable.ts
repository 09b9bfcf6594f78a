/** What a model is told whose call cannot be read. */
export const UNREADABLE_CALL =
  'Your last message seems to call a function, but the call cannot be read. Write it again in the form <function=name>, one <parameter=name>value</parameter> for each parameter, and </function> at the end.';
