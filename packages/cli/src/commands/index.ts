import type { ExitCode } from '../exit-code.ts';
import type { Command } from '../flags/commands.ts';
import { run } from '../run/run-task.ts';
import { agents } from './agents.ts';
import { demo } from './demo.ts';
import { exportConversation } from './export.ts';
import { fork } from './fork.ts';
import { importTrajectory } from './import.ts';
import { ls } from './ls.ts';
import { model } from './model.ts';
import { profile } from './profile.ts';
import { prompt } from './prompt.ts';
import { replay } from './replay.ts';
import { show } from './show.ts';
import { stats } from './stats.ts';

type Performed = Exclude<Command, { readonly command: 'help' | 'version' }>;

export function perform(command: Performed): Promise<ExitCode> {
  switch (command.command) {
    case 'run':
      return run(command);
    case 'ls':
      return ls(command);
    case 'show':
      return show(command);
    case 'fork':
      return fork(command);
    case 'replay':
      return replay(command);
    case 'export':
      return exportConversation(command);
    case 'import':
      return importTrajectory(command);
    case 'stats':
      return stats(command);
    case 'model':
      return model(command);
    case 'profile':
      return profile(command);
    case 'prompt':
      return prompt(command);
    case 'agents':
      return agents(command);
    case 'demo':
      return demo(command);
    case 'batch':
      return import('../batch/run-batch.ts').then(({ batch }) => batch(command));
  }
}
