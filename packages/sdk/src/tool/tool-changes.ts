import type { ToolDescription } from '../event/kinds.ts';
import { headOf } from '../value/cut.ts';
import { isRecord } from '../value/is-record.ts';
import { describeTool } from './describe.ts';
import type { Tool } from './tool.ts';

/** Most tools that are listed in a message about a change, and most characters of each description. */
const MAX_LISTED = 20;
const MAX_DESCRIPTION = 300;

/**
 * Follows the tools that come and go while a conversation is open, such as those of MCP servers: says how they differ from those in the
 * log, and which of them no person has consented to.
 */
export class ToolChanges {
  /** The tools in the log: a text that changes with whatever the model sees of them, by name. */
  #known = new Map<string, string>();
  #current: readonly Tool[] = [];
  readonly #unconsented = new Set<string>();
  /** The tools that differ from the known ones. */
  #differing: readonly Tool[] = [];
  #words: string | null = null;

  /** `described`: the tools in the system prompt of a resumed conversation. Those of MCP servers may have changed since. */
  begin(tools: readonly Tool[], described: readonly ToolDescription[]): void {
    const isOfLog = (tool: Tool) => described.length > 0 && tool.describe?.['mcp_tool'] !== undefined;
    this.#known = formsOf(tools.filter((tool) => !isOfLog(tool)));
    for (const { mcp_tool: raw } of described)
      if (isRecord(raw) && typeof raw['name'] === 'string') this.#known.set(raw['name'], formOfMcp(raw));
    this.replaced(tools);
  }

  /** All tools of the conversation, after some of them were replaced. */
  replaced(tools: readonly Tool[]): void {
    this.#current = tools;
    this.#differing = tools.filter((tool) => this.#known.get(tool.name) !== formOf(tool));
    this.#words = wordsOf(this.#known, tools, this.#differing);
  }

  /** What the model and the user are to be told; null if nothing has changed since. */
  get words(): string | null {
    return this.#words;
  }

  /** The change is in the log. */
  recorded(): void {
    for (const { name } of this.#differing) this.#unconsented.add(name);
    this.#known = formsOf(this.#current);
    this.#differing = [];
    this.#words = null;
  }

  /** Whether the tool was added or changed, and no person has approved a call of it since. */
  awaitsConsent(name: string): boolean {
    return this.#unconsented.has(name) || this.#differing.some((tool) => tool.name === name);
  }

  /** A person has approved a call of the tool. */
  consented(name: string): void {
    this.#unconsented.delete(name);
  }
}

function formsOf(tools: readonly Tool[]): Map<string, string> {
  return new Map(tools.map((tool) => [tool.name, formOf(tool)]));
}

function formOf(tool: Tool): string {
  const { mcp_tool: raw, ...rest } = describeTool(tool);
  return isRecord(raw) ? formOfMcp(raw) : JSON.stringify(rest);
}

/** What a server says of its tool, in any order of keys; the reference stores nulls for what it does not say. */
function formOfMcp({ description, inputSchema, annotations }: { readonly [key: string]: unknown }): string {
  return JSON.stringify([description, inputSchema, annotations], (_, value: unknown) =>
    isRecord(value)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([, each]) => each !== null)
            .toSorted(([a], [b]) => (a < b ? -1 : 1)),
        )
      : value,
  );
}

function wordsOf(
  known: ReadonlyMap<string, string>,
  tools: readonly Tool[],
  differing: readonly Tool[],
): string | null {
  const names = new Set(tools.map(({ name }) => name));
  const lines = [
    ...differing.map(
      ({ name, description }) =>
        `- ${name} (${known.has(name) ? 'changed' : 'new'}), described as ${JSON.stringify(headOf(description, MAX_DESCRIPTION))}`,
    ),
    ...[...known.keys()].filter((name) => !names.has(name)).map((name) => `- ${name} (removed)`),
  ];
  if (lines.length === 0) return null;
  const more = lines.length - MAX_LISTED;
  const shown = [...lines.slice(0, MAX_LISTED), ...(more > 0 ? [`- and ${more} more`] : [])];
  return `The available tools have changed:\n${shown.join('\n')}`;
}
