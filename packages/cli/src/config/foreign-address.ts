import { UsageError } from '../usage-error.ts';

/** The config file of the working directory, when no flag names it. */
export const LOCAL_FILE = './config.toml';

/**
 * A repository may contain a config.toml. An address in it must not be enough to send the user's key and files there. Throws
 * UsageError.
 */
export function refuseForeignAddress(baseUrl: string): void {
  if (URL.canParse(baseUrl) && /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(baseUrl).hostname)) return;
  throw new UsageError(
    `${LOCAL_FILE} sends requests to ${baseUrl} but has no api_key, and your key is not sent to an address that a folder chose: if you trust it, give --config ${LOCAL_FILE} or --base-url ${baseUrl}`,
  );
}
