/**
 * The script that bash starts with, and the lines that are typed for a command.
 *
 * A marker signals the end of a command: an escape sequence with a secret, which no program prints by chance and which is
 * invisible:
 *
 *     ESC ] 697 ; <nonce> ; end ; <sequence> ; <exit code> ; <last background pid> ; <user> ; <host> ; <python> ; <folder> BEL
 *     ESC ] 697 ; <nonce> ; prompt ; <sequence> BEL
 *     ESC ] 697 ; <nonce> ; lost ; <sequence> BEL
 *
 * `end` is printed by the typed line, or by PROMPT_COMMAND if Ctrl-C discarded the line. `prompt` is the prompt itself: it
 * signals the end of a command that unset PROMPT_COMMAND and was then interrupted. `lost` is printed by the typed line if
 * the command unset our functions; `restoringLine` defines them again and prints `end`. Markers go to the terminal,
 * wherever the command has redirected its output. A shell that can no longer read its input exits instead of printing
 * `end`: it would exit at the next prompt.
 */

/** A terminal line holds 4,095 bytes. */
const LINE_BYTES = 3_500;

/** No echo, and line ends are not translated. */
export const MODES = 'stty -echo -onlcr 2>/dev/null';

/** What a shell's script and lines are made for. */
export interface Script {
  readonly nonce: string;
  /** On pipes, markers go to standard output. */
  readonly terminal: 'pty' | 'pipes';
}

/** `readsBashrc`: run the user's ~/.bashrc first. Its DEBUG trap, which decorates prompts, is removed. */
export function startScript(script: Script, readsBashrc: boolean): string {
  return `${readsBashrc ? '[ -f ~/.bashrc ] && . ~/.bashrc\n' : ''}builtin trap - DEBUG
${MODES}
[ -t 1 ] || exec 2>&1
set +o history +H
unset HISTFILE
export -n PS1 PS2 PROMPT_COMMAND
PS1= PS2=
${definitions(script)}__lh_next=0
PROMPT_COMMAND='{ __lh_mark; } 2>/dev/null'
`;
}

/** The functions that the lines call, and their variables. */
export function definitions({ nonce, terminal }: Script): string {
  const isInput = terminal === 'pty' ? '[ -t 0 ]' : '[ -p /dev/fd/0 ] || [ -S /dev/fd/0 ]';
  return `__lh_ended= __lh_skip= __lh_path= __lh_python=
__lh_user=\${USER:-$(id -un 2>/dev/null)}
__lh_say() {
  { builtin printf '\\033]697;${nonce};%s\\007' "$1" > /dev/tty; } 2>/dev/null ||
    builtin printf '\\033]697;${nonce};%s\\007' "$1" || builtin exit "$2"
}
__lh_mark() {
  local __lh_code=$? __lh_folder=$PWD
  if [ -n "\${1-}" ]; then __lh_next=$1 __lh_code=$__lh_status; fi
  PS1=$'\\e]697;${nonce};prompt;'\${__lh_next-}$'\\a' PS2= PROMPT_COMMAND='{ __lh_mark; } 2>/dev/null'
  if [ -n "\${__lh_skip-}" ]; then __lh_skip= PS1=; return $__lh_code; fi
  if [ "\${__lh_ended-}" != "\${__lh_next-}" ]; then
    builtin declare -F __lh_say __lh_load __lh_code > /dev/null || return 1
    ${isInput} || builtin exit $__lh_code
    __lh_ended=$__lh_next __lh_status=$__lh_code
    [ "\${PATH-}" = "\${__lh_path-}" ] || { __lh_path=\${PATH-}; __lh_python=$(builtin type -P python || builtin type -P python3 || :); }
    case $__lh_folder in *[[:cntrl:]]*) __lh_folder= ;; esac
    __lh_say "end;$__lh_next;$__lh_code;\${!-};\${__lh_user-};\${HOSTNAME-};\${__lh_python-};$__lh_folder" $__lh_code
  fi
  [ -n "\${1-}" ] || return $__lh_code
}
__lh_code() {
  return \${__lh_status:-0}
}
__lh_load() {
  __lh_next=$1 PS1=$'\\e]697;${nonce};prompt;'$1$'\\a'
  [ -z "\${2-}" ] || IFS= builtin read -r -d '' __lh_command < "$2" || :
  __lh_code
}
`;
}

/** A command and its sequence number. */
export interface Numbered {
  readonly script: Script;
  readonly sequence: number;
  /**
   * Whether a DEBUG, ERR or RETURN trap may be set: it is then active only while the command runs, not during our own
   * commands. Costs a fork.
   */
  readonly hasTraps: boolean;
}

/** The line that runs a command, or null if the command is too long for a line. `$?` keeps the previous exit code. */
export function commandLine(numbered: Numbered, command: string): string | null {
  const line = lineOf(numbered, '', quoted(command));
  return Buffer.byteLength(line) <= LINE_BYTES ? line : null;
}

/** The line that runs the command in a file. */
export function fileLine(numbered: Numbered, file: string): string {
  return lineOf(numbered, ` ${quoted(file)}`, '"$__lh_command"');
}

/** The line before a command that is typed as it is. The prompt after this line is empty. */
export function typedLine(sequence: number): string {
  return ` { __lh_load ${sequence}; } >/dev/null 2>&1; __lh_skip=1\n`;
}

/** The line that reads the definitions again from a file, and then signals the end of the command. */
export function restoringLine(sequence: number, file: string): string {
  return ` { builtin . ${quoted(file)}; __lh_mark ${sequence}; } 2>/dev/null\n`;
}

/** Whether a command may set a trap: it, or a script that it reads, contains the word. */
export function mayTrap(command: string): boolean {
  return /\b(?:trap|source)\b|(?:^|[\s;&|(){}])\.\s/.test(command);
}

// Redirecting standard error hides the trace of `set -x`; redirecting both hides what traps print.
function lineOf({ script, sequence, hasTraps }: Numbered, file: string, command: string): string {
  const text = hasTraps ? `"\${__lh_traps-}"${command}$'\\n\\n'${quoted(TRAPS_OFF)}` : command;
  const lost = `builtin printf '\\033]697;${script.nonce};lost;${sequence}\\007'${script.terminal === 'pty' ? ' >/dev/tty' : ''}`;
  const end = hasTraps ? '' : '__lh_status=$?; ';
  return ` { __lh_load ${sequence}${file}; } >/dev/null 2>&1; builtin eval ${text}; { ${end}__lh_mark ${sequence} || ${lost}; } 2>/dev/null\n`;
}

/**
 * Stores the traps, with which the next command then begins, and removes them. This is not a function, because functions
 * do not inherit traps. The inner redirection keeps what a DEBUG trap prints out of the stored text.
 */
const TRAPS_OFF = `{ __lh_status=$?; __lh_traps=$( { builtin trap -p DEBUG ERR RETURN >&3; } 3>&1 >/dev/null 2>&1 ); builtin trap - DEBUG ERR RETURN; __lh_traps=\${__lh_traps:+"$__lh_traps
{ __lh_code; } >/dev/null 2>&1
"}; } >/dev/null 2>&1`;

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
