/** A mistake in how the command was called or configured. Nothing has been started; the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
