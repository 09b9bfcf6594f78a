/** What is shown in place of a secret. */
export const HIDDEN = '<secret-hidden>';
/** Shorter values would damage every text and protect nothing. */
const LEAST_LENGTH = 6;
/** Names of environment variables whose values are secret: V0's rule, and passwords. */
const SECRET_NAME = /SECRET|_KEY|_CODE|_TOKEN|PASSWORD/i;

/**
 * Hides every secret, as it is and as it is written in JSON. In one pass, so that a secret cannot damage the placeholder of
 * another; the longest secrets are tried first, so that no part of one is left.
 */
export function masker(secrets: Iterable<string | undefined>): (text: string) => string {
  const values = new Set<string>();
  for (const secret of secrets) {
    if (secret === undefined || secret.length < LEAST_LENGTH) continue;
    values.add(secret);
    values.add(JSON.stringify(secret).slice(1, -1));
  }
  if (values.size === 0) return (text) => text;
  const longestFirst = [...values].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escaped).join('|'), 'g');
  return (text) => text.replace(pattern, HIDDEN);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** The values of the variables whose names mark them as secret. */
export function secretsOf(env: { readonly [name: string]: string | undefined }): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value !== undefined ? [value] : [],
  );
}

/** The value with every text in it masked, at any depth; the same object if nothing was hidden. */
export function maskDeep<Value>(value: Value, mask: (text: string) => string): Value {
  if (typeof value === 'string') return mask(value) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([key, part]) => [key, part, maskDeep(part, mask)] as const);
  if (parts.every(([, part, masked]) => part === masked)) return value;
  if (Array.isArray(value)) return parts.map(([, , masked]) => masked) as Value;
  return Object.fromEntries(parts.map(([key, , masked]) => [key, masked])) as Value;
}
