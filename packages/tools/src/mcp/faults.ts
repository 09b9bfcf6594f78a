/** Classifies connection errors; the client library has many kinds of them. */
import { STREAM_ENDED } from './remote-transport.ts';

/**
 * Whether an error means that the server is lost, and if so, since when: before it can have received the call, or
 * possibly only during it. Undefined: it is still there.
 */
export function lossOf(error: unknown): 'before' | 'during' | undefined {
  if (isUnauthorized(error)) return 'before';
  const { code, message, cause } = error as { code?: unknown; message?: string; cause?: { code?: unknown } };
  if (code === 'NOT_CONNECTED' || code === 'SEND_FAILED' || message === 'Not connected') return 'before';
  if (statusOf(error) === 404 || cause?.code === 'ECONNREFUSED') return 'before';
  if (code === 'CONNECTION_CLOSED' || code === STREAM_ENDED) return 'during';
  return error instanceof TypeError || (error as Error).name === 'WorkspaceError' ? 'during' : undefined;
}

export function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'REQUEST_TIMEOUT';
}

export function isUnauthorized(error: unknown): boolean {
  return (error as Error).name === 'UnauthorizedError' || statusOf(error) === 401;
}

/** The HTTP status of an error response. */
export function statusOf(error: unknown): number | undefined {
  const { status, code, name } = error as { status?: unknown; code?: unknown; name?: unknown };
  if (typeof status === 'number') return status;
  return name === 'SseError' && typeof code === 'number' ? code : undefined;
}
