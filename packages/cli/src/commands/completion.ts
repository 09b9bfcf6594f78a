import { EXIT } from '../exit-code.ts';
import { defineCommand, type Words } from '../flags/command.ts';
import { type CompletedCommand, completionScript, SHELLS, type Shell } from '../flags/completion.ts';
import { UsageError } from '../usage-error.ts';
import { COMMANDS } from './registry.ts';

const shell: Words<Shell> = {
  completion: SHELLS,
  read: ([word, more]) => {
    const known = SHELLS.find((each) => each === word);
    if (known === undefined)
      throw new UsageError(
        `completion needs a shell: ${SHELLS.join(', ')}${word === undefined ? '' : `, not "${word}"`}`,
      );
    if (more !== undefined) throw new UsageError(`completion takes one shell, but was also given "${more}"`);
    return known;
  },
};

/** `longhand completion bash|zsh|fish`. */
export const completion = defineCommand({
  name: 'completion',
  about: `longhand completion bash|zsh|fish: prints a script that completes commands, flags and their values.

  bash  source <(longhand completion bash)         in ~/.bashrc
  zsh   source <(longhand completion zsh)          in ~/.zshrc
  fish  longhand completion fish | source          in ~/.config/fish/config.fish`,
  flags: {},
  words: shell,
  run: async ({ words }) => {
    const commands: CompletedCommand[] = [];
    for (const { name, does, load } of COMMANDS) commands.push({ ...(await load()), name, does });
    process.stdout.write(completionScript(words, commands));
    return EXIT.ok;
  },
});
