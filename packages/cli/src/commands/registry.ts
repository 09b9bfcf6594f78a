/** The commands, one line each. A command is a file of its own, which is loaded when it is called. */
import type { Command } from '../flags/command.ts';

export interface Entry {
  readonly name: string;
  /** How it is called, without `longhand`. */
  readonly usage: string;
  /** What it does, as the list of commands puts it. */
  readonly does: string;
  readonly load: () => Promise<Command>;
}

/** What a command line without a command means. */
export const RUN: Entry = {
  name: 'run',
  usage: '[run] -t TEXT | -f FILE | -',
  does: 'give the agent a task: a text, a file, or all of standard input',
  load: async () => (await import('./run.ts')).run,
};

// biome-ignore format: one line each
export const COMMANDS: readonly Entry[] = [
  RUN,
  { name: 'ls', usage: 'ls', does: 'list the conversations, the latest first', load: async () => (await import('./ls.ts')).ls },
  { name: 'show', usage: 'show ID', does: 'show what happened in a conversation, event by event', load: async () => (await import('./show.ts')).show },
  { name: 'fork', usage: 'fork ID', does: 'start a new conversation with the history of another, and print its id', load: async () => (await import('./fork.ts')).fork },
  { name: 'rm', usage: 'rm ID...', does: 'remove conversations and everything stored of them', load: async () => (await import('./rm.ts')).rm },
  { name: 'replay', usage: 'replay ID|FILE', does: 'replay a conversation or a cassette, and report the first difference', load: async () => (await import('./replay.ts')).replay },
  { name: 'export', usage: 'export ID', does: 'export a conversation: v0, events, openai, jsonl or html', load: async () => (await import('./export.ts')).exportCommand },
  { name: 'import', usage: 'import FILE', does: 'start a new conversation from a trajectory, and print its id', load: async () => (await import('./import.ts')).importCommand },
  { name: 'stats', usage: 'stats ID', does: 'print turns, calls, errors, time and cost, step by step', load: async () => (await import('./stats.ts')).stats },
  { name: 'model', usage: 'model NAME', does: 'explain how a model would be called, and why', load: async () => (await import('./model.ts')).model },
  { name: 'config', usage: 'config [KEY [VALUE]]', does: 'print or store the settings of the model; keys are masked', load: async () => (await import('./config.ts')).config },
  { name: 'profile', usage: 'profile list|show|save|remove [NAME]', does: 'keep models under names of your own', load: async () => (await import('./profile.ts')).profile },
  { name: 'prompt', usage: 'prompt', does: 'print what a new conversation here starts with, and where each part comes from', load: async () => (await import('./prompt.ts')).prompt },
  { name: 'agents', usage: 'agents', does: 'list the agents that --agent accepts here', load: async () => (await import('./agents.ts')).agents },
  { name: 'trust', usage: 'trust', does: 'agree that the MCP servers of this folder are started', load: async () => (await import('./trust.ts')).trust },
  { name: 'batch', usage: 'batch TASKS.jsonl --out DIR', does: 'run one conversation per line of a file, several at a time', load: async () => (await import('./batch.ts')).batch },
  { name: 'demo', usage: 'demo', does: 'watch it work with a scripted model; needs no key', load: async () => (await import('./demo.ts')).demo },
  { name: 'completion', usage: 'completion bash|zsh|fish', does: 'print a completion script for your shell', load: async () => (await import('./completion.ts')).completion },
  { name: 'help', usage: 'help [COMMAND]', does: 'print help for a command', load: async () => (await import('./help.ts')).help },
];

export function commandNamed(name: string | undefined): Entry | undefined {
  return COMMANDS.find((entry) => entry.name === name);
}
