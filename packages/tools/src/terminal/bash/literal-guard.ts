/**
 * Models sometimes send a list or an object instead of a command. Returns the kind of literal, or null for what may be a
 * command.
 */
export function dataLiteral(command: string): string | null {
  const [first = '', second = ''] = command.trimStart();
  if (second === '') return null;
  const pair = first + second;
  if (['[{', '["', "['"].includes(pair)) return 'list literal';
  if (pair === '[[') return /^\s*\[\[\s/.test(command) ? null : 'nested list literal';
  return ['{"', "{'"].includes(pair) ? 'dict literal' : null;
}
