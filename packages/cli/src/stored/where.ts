/** The name with which this command was called, for commands that are printed to be run: a clone is called by its path. */
export function commandName(env: { readonly [name: string]: string | undefined } = process.env): string {
  return shellQuoted(env['LONGHAND_COMMAND'] || 'longhand');
}

/** The flag with which a printed command finds the conversation again; empty for the default folder. */
export function whereFlag(conversationsDir: string | undefined): string {
  return conversationsDir === undefined ? '' : ` --conversations-dir ${shellQuoted(conversationsDir)}`;
}

/** A word in the quotes of a POSIX shell, if it needs any. */
function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
