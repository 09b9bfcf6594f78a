/** The words by which this was called, for commands that are printed to be used again: a clone is called by its path. */
export function commandName(env: { readonly [name: string]: string | undefined } = process.env): string {
  return shellQuoted(env['LONGHAND_COMMAND'] || 'longhand');
}

/** The flag that a printed command needs to find the conversation again; empty for the usual folder. */
export function whereFlag(conversationsDir: string | undefined): string {
  return conversationsDir === undefined ? '' : ` --conversations-dir ${shellQuoted(conversationsDir)}`;
}

/** A word as a POSIX shell reads it back; left alone where that is safe. */
function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
