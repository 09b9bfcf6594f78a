/** A mistake in the command line or the configuration. Nothing has been started; the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
