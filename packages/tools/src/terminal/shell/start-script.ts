/**
 * What bash is given to start with, and the lines that are typed for a command.
 *
 * The end of a command is told by a marker, an escape sequence with a secret, which no program prints by chance and nobody sees:
 *
 *     ESC ] 697 ; <nonce> ; end ; <sequence> ; <exit code> ; <last background pid> ; <user> ; <host> ; <python> ; <folder> BEL
 *     ESC ] 697 ; <nonce> ; prompt ; <sequence> BEL
 *
 * `end` is printed by the typed line, or by PROMPT_COMMAND when Ctrl-C has thrown the line away. `prompt` is the prompt
 * itself: it tells that a command is over which took PROMPT_COMMAND away and was then interrupted. Markers go to the
 * terminal whatever the command has done with its output.
 */

/** In a line of a terminal fit 4,095 bytes. */
const LINE_BYTES = 3_500;

/** Nothing that is typed is shown, and line ends are left as they are. */
export const MODES = 'stty -echo -onlcr 2>/dev/null';

/** The user's own start-up file first, unless that does not let the shell come up. */
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

/** The line that carries out a command, or null if it is too long for one. The exit code before it is kept for `$?`. */
export function commandLine(sequence: number, command: string): string | null {
  const line = lineOf(`__lh_load ${sequence}`, quoted(command));
  return Buffer.byteLength(line) <= LINE_BYTES ? line : null;
}

/** The line that carries out the command in a file. */
export function fileLine(sequence: number, file: string): string {
  return lineOf(`__lh_load ${sequence} ${quoted(file)}`, '"$__lh_command"');
}

/** Announces a command that is typed as it is. The prompt behind this line stays silent. */
export function typedLine(sequence: number): string {
  return ` { __lh_load ${sequence}; } 2>/dev/null; __lh_skip=1\n`;
}

// What is hidden from standard error is the trace of `set -x`.
function lineOf(load: string, command: string): string {
  return ` { ${load}; } 2>/dev/null; builtin eval ${command}; { __lh_mark; } 2>/dev/null\n`;
}

const ESCAPES: { readonly [character: string]: string } = {
  '\n': '\\n',
  '\t': '\\t',
  '\\': '\\\\',
  "'": "\\'",
};

/** As a word of bash, in one line and without control characters: nothing in it is edited by the terminal. */
export function quoted(text: string): string {
  const escaped = text
    .replaceAll('\0', '') // no shell can hold it
    .replace(
      /[\x01-\x1f\\'\x7f]/g,
      (character) => ESCAPES[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
  return `$'${escaped}'`;
}
