import { DEFAULT_AGENT_NAME } from '../../agent/agent.ts';
import { ownValue } from '../../value/own-value.ts';

/** V0's classes for the agents that do their work here. */
const CLASSES: { readonly [agent: string]: string } = {
  codeact: 'CodeActAgent',
  readonly: 'ReadOnlyAgent',
  browsing: 'BrowsingAgent',
  'code-explorer': 'LocAgent',
};

/** V0's `agent_class` of an agent; an agent that V0 lacks keeps its name. */
export function classOf(agent: string = DEFAULT_AGENT_NAME): string {
  return ownValue(CLASSES, agent) ?? agent;
}
