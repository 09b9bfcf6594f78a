import { createHash } from 'node:crypto';

export interface RawTool {
  readonly server: string;
  readonly tool: string;
}

const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/**
 * The names by which the model calls tools: unchanged for a single server, prefixed with the server's name otherwise. A name
 * that is too long or taken ends in a hash, so that it is the same in every run. All names are different.
 */
export function exposedNames(
  tools: readonly RawTool[],
  options: { readonly isAlone: boolean; readonly taken: ReadonlySet<string> },
): readonly string[] {
  const taken = new Set(options.taken);
  return tools.map((each) => {
    const prefixed = clean(`${each.server}_${each.tool}`);
    const wanted = options.isAlone ? [clean(each.tool), prefixed] : [prefixed];
    const name =
      wanted.find((name) => name.length <= MAX_LENGTH && !taken.has(name)) ?? hashed(prefixed, each, taken);
    taken.add(name);
    return name;
  });
}

/** A name that every provider accepts. */
function clean(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9_-]/g, '_');
  return /^[A-Za-z_]/.test(safe) ? safe : `_${safe}`;
}

function hashed(prefixed: string, { server, tool }: RawTool, taken: ReadonlySet<string>): string {
  for (let round = 0; ; round += 1) {
    const source = JSON.stringify([server, tool, round]);
    const hash = createHash('sha256').update(source).digest('hex').slice(0, HASH_LENGTH);
    const name = `${prefixed.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
    if (!taken.has(name)) return name;
  }
}
