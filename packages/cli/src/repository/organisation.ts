/**
 * Instructions of an organisation for all agents that work on its repositories: on the same host as `OWNER/NAME` there may be
 * `OWNER/.openhands`, with `skills/` or `microagents/`. The names are those of OpenHands V0. It is looked for only when a repository is
 * cloned: its host is contacted then anyway.
 */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openLocalWorkspace, type Skill } from '@longhand/sdk';
import { skillsBroughtBy } from '@longhand/sdk/internal';
import { dataDirectory } from '../config/home.ts';
import { Interrupted, onInterrupt } from '../interrupts.ts';
import { type Repository, withoutLogin } from './address.ts';
import { checkedOut, headOf } from './checkout.ts';

const LOOK_MS = 20_000;
const FETCH_MS = 120_000;

/** The address of the organisation's repository; undefined if the address names no owner. */
export function organisationAddress({ address, isFolder }: Repository): string | undefined {
  if (isFolder) return undefined;
  const whole = address.replace(/\/+$/, '');
  const azure = /^(.*\bdev\.azure\.com\/[^/]+)\/[^/]+\/_git\/[^/]+$/.exec(whole)?.[1];
  if (azure !== undefined) return `${azure}/openhands-config/_git/openhands-config`;
  const [, owner = '', suffix = ''] = /^(.*)\/[^/]+?(\.git)?$/.exec(whole) ?? [];
  const [, host] = /^\w+:\/\/([^/]*)\/./.exec(owner) ?? /^([^/:]+):[^/]/.exec(owner) ?? [];
  if (host === undefined) return undefined;
  return `${owner}/${host.includes('gitlab') ? 'openhands-config' : '.openhands'}${suffix}`;
}

/** The name under which it is stored; undefined if there is none, or if it is not accessible. Throws Interrupted. */
export async function fetchOrganisation(
  repository: Repository,
  say: (line: string) => void,
): Promise<string | undefined> {
  const address = organisationAddress(repository);
  if (address === undefined || address === repository.address) return undefined;
  const interrupted = new AbortController();
  const off = onInterrupt(() => interrupted.abort());
  const within = (ms: number) => AbortSignal.any([interrupted.signal, AbortSignal.timeout(ms)]);
  try {
    const commit = await headOf(address, within(LOOK_MS)).catch(() => ''); // most owners have none
    interrupted.signal.throwIfAborted();
    if (commit === '') return undefined;
    const folder = await checkedOut(parent(), address, commit, within(FETCH_MS));
    say(`using the instructions in ${withoutLogin(address)}`);
    return basename(folder);
  } catch (error) {
    if (interrupted.signal.aborted) throw new Interrupted();
    say(`the instructions in ${withoutLogin(address)} cannot be fetched: ${(error as Error).message}`);
    return undefined;
  } finally {
    off();
  }
}

/** None if it was deleted. MCP servers in it are not started, because the user did not ask for them. */
export async function organisationSkills(name: string, warn: (text: string) => void): Promise<Skill[]> {
  const folder = join(parent(), name);
  if (!existsSync(folder)) return [];
  const skills = await skillsBroughtBy(openLocalWorkspace(folder), folder, warn);
  return skills.map(({ mcpServers, ...skill }) => {
    if (mcpServers !== undefined)
      warn(`the MCP servers of the skill ${skill.source} are not started: they belong to the organisation`);
    return skill;
  });
}

function parent(): string {
  return join(dataDirectory(), 'organisations');
}
