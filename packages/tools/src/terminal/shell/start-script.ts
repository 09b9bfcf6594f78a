/**
 * The script that bash starts with, and the lines that are typed for a command.
 *
 * A marker signals the end of a command: an escape sequence with a secret, which no program prints by chance and which is
 * invisible:
 *
 *     ESC ] 697 ; <nonce> ; end ; <sequence> ; <exit code> ; <last background pid> ; <user> ; <host> ; <python> ; <folder> BEL
 *     ESC ] 697 ; <nonce> ; prompt ; <sequence> BEL
 *
 * `end` is printed by the typed line, or by PROMPT_COMMAND if Ctrl-C discarded the line. `prompt` is the prompt itself: it
 * signals the end of a command that unset PROMPT_COMMAND and was then interrupted. Markers go to the terminal, wherever the
 * command has redirected its output.
 */

/** A terminal line holds 4,095 bytes. */
const LINE_BYTES = 3_500;

/** No echo, and line ends are not translated. */
export const MODES = 'stty -echo -onlcr 2>/dev/null';

/** `readsBashrc`: run the user's ~/.bashrc first. */
export function startScript(nonce: string, readsBashrc: boolean): string {
  return `${readsBashrc ? '[ -f ~/.bashrc ] && . ~/.bashrc\n' : ''}${MODES}
[ -t 1 ] || exec 2>&1
set +o history +H
unset HISTFILE
export -n PS1 PS2 PROMPT_COMMAND
PS1= PS2=
__lh_next=0 __lh_ended= __lh_skip= __lh_path= __lh_python=
__lh_user=\${USER:-$(id -un 2>/dev/null)}
__lh_say() {
  { builtin printf '\\033]697;${nonce};%s\\007' "$1" > /dev/tty; } 2>/dev/null || builtin printf '\\033]697;${nonce};%s\\007' "$1" || :
}
__lh_mark() {
  local __lh_status=$? __lh_folder=$PWD
  PS1=$'\\e]697;${nonce};prompt;'$__lh_next$'\\a' PS2= PROMPT_COMMAND='{ __lh_mark; } 2>/dev/null'
  if [ -n "$__lh_skip" ]; then __lh_skip= PS1=; return $__lh_status; fi
  if [ "$__lh_ended" != "$__lh_next" ]; then
    __lh_ended=$__lh_next
    [ "\${PATH-}" = "$__lh_path" ] || { __lh_path=\${PATH-}; __lh_python=$(builtin type -P python || builtin type -P python3 || :); }
    case $__lh_folder in *[[:cntrl:]]*) __lh_folder= ;; esac
    __lh_say "end;$__lh_next;$__lh_status;\${!-};$__lh_user;\${HOSTNAME-};$__lh_python;$__lh_folder"
  fi
  return $__lh_status
}
__lh_load() {
  local __lh_status=$?
  __lh_next=$1 PS1=$'\\e]697;${nonce};prompt;'$1$'\\a'
  [ -z "\${2-}" ] || IFS= builtin read -r -d '' __lh_command < "$2" || :
  return $__lh_status
}
PROMPT_COMMAND='{ __lh_mark; } 2>/dev/null'
`;
}

/** The line that runs a command, or null if the command is too long for a line. `$?` keeps the previous exit code. */
export function commandLine(sequence: number, command: string): string | null {
  const line = lineOf(`__lh_load ${sequence}`, quoted(command));
  return Buffer.byteLength(line) <= LINE_BYTES ? line : null;
}

/** The line that runs the command in a file. */
export function fileLine(sequence: number, file: string): string {
  return lineOf(`__lh_load ${sequence} ${quoted(file)}`, '"$__lh_command"');
}

/** The line before a command that is typed as it is. The prompt after this line is empty. */
export function typedLine(sequence: number): string {
  return ` { __lh_load ${sequence}; } 2>/dev/null; __lh_skip=1\n`;
}

// Redirecting standard error hides the trace of `set -x`.
function lineOf(load: string, command: string): string {
  return ` { ${load}; } 2>/dev/null; builtin eval ${command}; { __lh_mark; } 2>/dev/null\n`;
}

const ESCAPES: { readonly [character: string]: string } = {
  '\n': '\\n',
  '\t': '\\t',
  '\\': '\\\\',
  "'": "\\'",
};

/** The text as a word of bash, on one line and without control characters, so that the terminal edits nothing in it. */
export function quoted(text: string): string {
  const escaped = text
    .replaceAll('\0', '') // bash cannot hold NUL
    .replace(
      /[\x01-\x1f\\'\x7f]/g,
      (character) => ESCAPES[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
  return `$'${escaped}'`;
}
