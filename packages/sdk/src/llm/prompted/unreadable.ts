/** The answer to a call that cannot be parsed. */
export const UNREADABLE_CALL =
  'Your last message contains a function call that cannot be parsed. Send the call again: <function=name>, then <parameter=name>value</parameter> for each parameter, then </function>.';
