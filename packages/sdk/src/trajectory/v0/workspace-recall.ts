/** What V0 recalls about the workspace for the first message of the user; for us it is part of the system prompt. */
import { isRecord } from '../../value/is-record.ts';
import { words } from '../foreign-values.ts';
import type { Json } from '../json-text.ts';

/** The fields of a workspace recall, all empty but `additional_agent_instructions`. */
export function workspaceExtras(instructions: string): Json {
  return {
    repo_name: '',
    repo_directory: '',
    repo_branch: '',
    repo_instructions: '',
    runtime_hosts: {},
    additional_agent_instructions: instructions,
    date: '',
    custom_secrets_descriptions: {},
    conversation_instructions: '',
    working_dir: '',
  };
}

/** The text for the system prompt; empty if nothing was recalled. */
export function workspaceText(extras: Json): string {
  const { additional_agent_instructions: instructions } = extras;
  const facts = [
    ...fact('Working folder', extras['working_dir']),
    ...fact('Repository', extras['repo_name']),
    ...fact('Folder of the repository', extras['repo_directory']),
    ...fact('Branch', extras['repo_branch']),
    ...fact('Date', extras['date']),
    ...list('Hosts, each with its port', extras['runtime_hosts']),
    ...list('Secrets, as environment variables', extras['custom_secrets_descriptions']),
  ];
  return [
    facts.length === 0 ? '' : `<WORKSPACE>\n${facts.join('\n')}\n</WORKSPACE>`,
    words(extras['repo_instructions']),
    words(instructions),
    words(extras['conversation_instructions']),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function fact(name: string, value: unknown): string[] {
  const said = words(value);
  return said === '' ? [] : [`${name}: ${said}`];
}

function list(name: string, value: unknown): string[] {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return entries.length === 0
    ? []
    : [
        `${name}: ${entries.map(([key, each]) => (words(each) === '' ? key : `${key} (${words(each)})`)).join(', ')}`,
      ];
}
