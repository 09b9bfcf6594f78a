/**
 * Compares Longhand with the reference (Python, `openhands-sdk`) on folders that both write in turns: `npm run reference-check`, with
 * words to choose kinds. `LONGHAND_REFERENCE_PYTHON` names a Python that can import the reference; default: `python3`. Without one
 * nothing is compared, which it says. `--freeze` writes the folders that the reference began as fixtures of the tests.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Reply, startModelServer } from '@longhand/sdk/testing';
import { differences as between } from '../../packages/sdk/test-support/folder-facts.ts';
import { type Driver, type Folder, longhand, reference } from './drivers.ts';
import { freeze } from './freeze.ts';
import { KINDS, type Kind } from './kinds.ts';

const ROUNDS = 3;

async function main(args: readonly string[]): Promise<number> {
  const freezes = args.includes('--freeze');
  const words = args.filter((each) => each !== '--freeze');
  const python = process.env['LONGHAND_REFERENCE_PYTHON'] ?? 'python3';
  const found = spawnSync(
    python,
    ['-c', 'import importlib.metadata as m; print(m.version("openhands-sdk"))'],
    {
      encoding: 'utf8',
    },
  );
  if (found.status !== 0) {
    console.log(
      `skipped: ${python} cannot import openhands-sdk; LONGHAND_REFERENCE_PYTHON names one that can`,
    );
    return 0;
  }
  let plan: Plan = { replies: [], next: 0 };
  const server = await startModelServer(({ body }) => nextReply(plan, body));
  const root = mkdtempSync(join(tmpdir(), 'longhand-reference-check-'));
  const baseUrl = `${server.url}/v1`;
  const ours = longhand(baseUrl);
  const theirs = reference(python, baseUrl);
  const differences: string[] = [];
  try {
    const kinds = Object.entries(KINDS).filter(([name]) => words.every((word) => name.includes(word)));
    for (const [name, kind] of kinds) {
      for (const [first, second] of [
        [ours, theirs],
        [theirs, ours],
      ] as const) {
        const folder = newFolder(root);
        const turns = Array.from({ length: ROUNDS }, () => [first, second]).flat();
        for (const [at, driver] of turns.entries()) {
          plan = { replies: kind.replies, next: 0 };
          const place = `${name}, begun by ${first.name}, turn ${at + 1} by ${driver.name}`;
          try {
            await driver.turn(folder, kind.steps);
            differences.push(...(await compare(folder, ours, theirs)).map((each) => `${place}: ${each}`));
          } catch (error) {
            differences.push(`${place}: ${(error as Error).message}`);
          }
        }
        if (freezes && first === theirs) await freeze(name, folder, theirs);
      }
      console.log(`${differences.length === 0 ? 'agrees' : `${differences.length} differences`}  ${name}`);
    }
  } finally {
    theirs.close();
    await server.close();
    rmSync(root, { recursive: true, force: true });
  }
  for (const each of differences) console.log(each);
  console.log(`openhands-sdk ${found.stdout.trim()}: ${differences.length} differences`);
  return differences.length === 0 ? 0 : 1;
}

interface Plan {
  readonly replies: Kind['replies'];
  next: number;
}

function nextReply(plan: Plan, body: { readonly messages?: unknown }): Reply {
  plan.next += 1;
  if (typeof plan.replies !== 'function') return plan.replies[plan.next - 1] ?? { text: 'Done.' };
  const messages = body.messages as readonly { readonly role: string }[];
  return plan.replies(messages.at(-1)?.role ?? '');
}

function newFolder(root: string): Folder {
  const id = randomUUID();
  const folder = {
    id,
    conversations: join(root, id, 'conversations'),
    workspace: join(root, id, 'workspace'),
  };
  mkdirSync(folder.workspace, { recursive: true });
  mkdirSync(folder.conversations);
  return folder;
}

/** Where the two read a folder differently. Each reads a copy, since opening may write. */
async function compare(folder: Folder, ours: Driver, theirs: Driver): Promise<string[]> {
  const copy = { ...folder, conversations: `${folder.conversations}-copy` };
  cpSync(folder.conversations, copy.conversations, { recursive: true });
  const [one, other] = [await ours.facts(copy), await theirs.facts(copy)];
  rmSync(copy.conversations, { recursive: true });
  return between(one, other);
}

process.exitCode = await main(process.argv.slice(2));
