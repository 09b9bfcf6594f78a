import { UsageError } from '../usage-error.ts';

/** A file that the working directory brought along, which nobody has named. */
export const LOCAL_FILE = './config.toml';

/**
 * A repository may bring a config.toml along. That it names an address must not be enough to send it the user's key
 * and files. Throws UsageError.
 */
export function refuseForeignAddress(baseUrl: string): void {
  if (URL.canParse(baseUrl) && /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(baseUrl).hostname)) return;
  throw new UsageError(
    `${LOCAL_FILE} sends requests to ${baseUrl}, but has no api_key of its own, and yours is not given to an address that a folder chose: if you trust it, give --config ${LOCAL_FILE} or --base-url ${baseUrl}`,
  );
}
