/** Completion scripts for shells, made from the commands and the flag table. */
import type { Command } from './command.ts';
import type { Flag } from './flag.ts';
import { flagsIn } from './groups.ts';
import { INFORM } from './table.ts';
import type { Completion } from './value.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export interface CompletedCommand extends Pick<Command, 'name' | 'flags' | 'words'> {
  readonly does: string;
}

/** The first command is the one that is meant if none is named. */
export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  return { bash, zsh, fish }[shell](commands);
}

function allFlags({ flags }: CompletedCommand): readonly Flag[] {
  return flagsIn({ ...flags, ...INFORM });
}

function takesValue({ takes }: Flag): boolean {
  return takes !== 'nothing';
}

/** In single quotes, for any of these shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The ids that `longhand ls` prints below its heading. */
const CONVERSATIONS = `_longhand_conversations() {
  command longhand ls 2>/dev/null | awk 'NR > 1 { print $1 }'
}`;

function bash(commands: readonly CompletedCommand[]): string {
  const [first] = commands;
  const names = commands.map(({ name }) => name);
  const values = commands.flatMap((command) =>
    allFlags(command)
      .filter(takesValue)
      .map((flag) => {
        const spellings = [`--${flag.name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])];
        const pattern = spellings.map((each) => `${command.name}:${each}`).join('|');
        return `    ${pattern}) ${bashReply(flag.value?.completion)}; return ;;`;
      }),
  );
  const words = commands.map((command) => {
    const flags = allFlags(command).map(({ name }) => `--${name}`);
    return `    ${command.name}) flags=${quoted(flags.join(' '))}; ${bashReply(command.words.completion)} ;;`;
  });
  return `# bash completion for longhand
${CONVERSATIONS}

_longhand() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command=${first?.name} flags=
  COMPREPLY=()
  if [ "$COMP_CWORD" -gt 1 ]; then
    case \${COMP_WORDS[1]} in
      ${names.join('|')}) command=\${COMP_WORDS[1]} ;;
    esac
  fi
  case $command:$previous in
${values.join('\n')}
  esac
  case $command in
${words.join('\n')}
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) [ "$COMP_CWORD" -eq 1 ] && COMPREPLY=($(compgen -W ${quoted(names.join(' '))} -- "$current")) ;;
  esac
}

complete -F _longhand longhand
`;
}

function bashReply(completion: Completion | undefined): string {
  if (completion === undefined) return ':';
  if (completion === 'file') return `compopt -o filenames; COMPREPLY=($(compgen -f -- "$current"))`;
  if (completion === 'directory') return `compopt -o filenames; COMPREPLY=($(compgen -d -- "$current"))`;
  const words = completion === 'conversation' ? '"$(_longhand_conversations)"' : quoted(completion.join(' '));
  return `COMPREPLY=($(compgen -W ${words} -- "$current"))`;
}

function zsh(commands: readonly CompletedCommand[]): string {
  const [first] = commands;
  const described = commands.map(({ name, does }) => `    ${quoted(`${name}:${does}`)}`);
  const cases = commands.map((command) => {
    const specs = [...allFlags(command).flatMap(zshSpecs), ...zshWords(command)];
    return `    ${command.name})\n      _arguments ${specs.map(quoted).join(' \\\n        ')} ;;`;
  });
  return `#compdef longhand
# zsh completion for longhand
_longhand_conversations() {
  local -a ids
  ids=(\${(f)"$(command longhand ls 2>/dev/null | awk 'NR > 1 { print $1 }')"})
  compadd -a ids
}

_longhand() {
  local command=${first?.name}
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  if (( \${commands[(I)$words[2]:*]} )); then
    command=$words[2]
    shift words
    (( CURRENT -= 1 ))
  fi
  case $command in
${cases.join('\n')}
  esac
}

if [ "$funcstack[1]" = _longhand ]; then _longhand "$@"; else compdef _longhand longhand; fi
`;
}

function zshSpecs(flag: Flag): string[] {
  const { name, short, help, takes, value } = flag;
  const help_ = help.replace(/[[\]:\\]/g, '\\$&');
  const many = takes === 'several' ? '*' : '';
  const colons = takes === 'optional' ? '::' : ':';
  const action = value === undefined ? '' : `${colons}${value.placeholder}:${zshAction(value.completion)}`;
  const inline = takes === 'optional' ? '=' : takesValue(flag) ? '=' : '';
  return [
    `${many}--${name}${inline}[${help_}]${action}`,
    ...(short === undefined ? [] : [`${many}-${short}[${help_}]${action}`]),
  ];
}

function zshWords({ words: { completion } }: CompletedCommand): string[] {
  return completion === undefined ? [] : [`1:word:${zshAction(completion)}`];
}

function zshAction(completion: Completion | undefined): string {
  if (completion === undefined) return ' ';
  if (completion === 'file') return '_files';
  if (completion === 'directory') return '_files -/';
  return completion === 'conversation' ? '_longhand_conversations' : `(${completion.join(' ')})`;
}

function fish(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const lines = commands.flatMap((command, index) => {
    const { name, does } = command;
    const condition =
      index === 0
        ? `'not __fish_seen_subcommand_from ${names}; or __fish_seen_subcommand_from ${name}'`
        : `'__fish_seen_subcommand_from ${name}'`;
    const { completion } = command.words;
    return [
      `complete -c longhand -n __fish_use_subcommand -a ${name} -d ${fishQuoted(does)}`,
      ...allFlags(command).map((flag) => `complete -c longhand -n ${condition} ${fishFlag(flag)}`),
      // fish proposes nothing for a value that may be left out.
      ...allFlags(command)
        .filter(({ takes, value }) => takes === 'optional' && value?.completion !== undefined)
        .map(
          ({ name: flag, value }) =>
            `complete -c longhand -n '__fish_prev_arg_in --${flag}' ${fishValue(value?.completion, false)}`,
        ),
      ...(completion === undefined
        ? []
        : [`complete -c longhand -n ${condition} ${fishValue(completion, false)}`.trimEnd()]),
    ];
  });
  return `# fish completion for longhand
function __longhand_conversations
  command longhand ls 2>/dev/null | awk 'NR > 1 { print $1 }'
end
complete -c longhand -f
${lines.join('\n')}
`;
}

function fishFlag(flag: Flag): string {
  const { name, short, help, takes, value } = flag;
  const spelling = `${short === undefined ? '' : `-s ${short} `}-l ${name}`;
  const argument =
    takes === 'nothing' || takes === 'optional' ? '' : ` ${fishValue(value?.completion, true)}`;
  return `${spelling}${argument} -d ${fishQuoted(help)}`;
}

function fishValue(completion: Completion | undefined, isOfFlag: boolean): string {
  const only = isOfFlag ? '-x ' : '';
  if (completion === undefined) return only.trim();
  if (completion === 'file') return isOfFlag ? '-r -F' : '-F';
  const words =
    completion === 'directory'
      ? '(__fish_complete_directories)'
      : completion === 'conversation'
        ? '(__longhand_conversations)'
        : completion.join(' ');
  return `${only}-a ${fishQuoted(words)}`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
