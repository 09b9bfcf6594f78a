export type LogErrorCode =
  | 'locked'
  | 'closed'
  | 'read_only'
  | 'not_found'
  | 'out_of_range'
  | 'duplicate_id'
  | 'invalid_id'
  | 'invalid_event'
  | 'storage_full'
  | 'io';

/** A log could not be opened, read or written. `message` names the folder and the reason. */
export class LogError extends Error {
  override readonly name = 'LogError';
  readonly code: LogErrorCode;

  constructor(code: LogErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Whether the log refused the events without closing: nothing was written, and other events can still be appended. */
export function isRefusal({ code }: LogError): boolean {
  return code === 'duplicate_id' || code === 'invalid_id' || code === 'invalid_event';
}
