/** What stands in the place of a secret. */
export const HIDDEN = '<secret-hidden>';
/** Shorter ones would mangle every text, and guard nothing. */
const LEAST_LENGTH = 6;
/** Names of environment variables whose values are secret; V0's rule, and passwords. */
const SECRET_NAME = /SECRET|_KEY|_CODE|_TOKEN|PASSWORD/i;

/** Hides every secret, as it is and as it stands in JSON; the longest first, so that none is left in part. */
export function masker(secrets: Iterable<string | undefined>): (text: string) => string {
  const values = new Set<string>();
  for (const secret of secrets) {
    if (secret === undefined || secret.length < LEAST_LENGTH) continue;
    values.add(secret);
    values.add(JSON.stringify(secret).slice(1, -1));
  }
  const longestFirst = [...values].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((masked, secret) => masked.replaceAll(secret, HIDDEN), text);
}

/** The values of variables that are named like secrets. */
export function secretsOf(env: { readonly [name: string]: string | undefined }): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value !== undefined ? [value] : [],
  );
}

/** Every text in a value, however deep, masked; the same value if nothing was hidden. */
export function maskDeep<Value>(value: Value, mask: (text: string) => string): Value {
  if (typeof value === 'string') return mask(value) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([key, part]) => [key, part, maskDeep(part, mask)] as const);
  if (parts.every(([, part, masked]) => part === masked)) return value;
  if (Array.isArray(value)) return parts.map(([, , masked]) => masked) as Value;
  return Object.fromEntries(parts.map(([key, , masked]) => [key, masked])) as Value;
}
