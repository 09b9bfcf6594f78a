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
  const forms = secretForms(secrets);
  if (forms.length === 0) return (text) => text;
  const pattern = patternOf(forms);
  return (text) => text.replace(pattern, HIDDEN);
}

/** What is hidden: each secret as it is and as it is written in JSON, the longest first. Short ones are left out. */
export function secretForms(secrets: Iterable<string | undefined>): readonly string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret === undefined || secret.length < LEAST_LENGTH) continue;
    forms.add(secret);
    forms.add(JSON.stringify(secret).slice(1, -1));
  }
  return [...forms].sort((a, b) => b.length - a.length);
}

/** Finds the forms of secrets, each where the longest one begins. */
export function patternOf(forms: readonly string[]): RegExp {
  return new RegExp(forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g');
}

/** Whether the name of a variable marks its value as secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
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
