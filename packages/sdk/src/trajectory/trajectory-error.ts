/** Thrown for an invalid trajectory. The message names the line and what was expected there. */
export class TrajectoryError extends Error {
  override readonly name = 'TrajectoryError';
  /** Counted from 1; absent if the error belongs to no line. */
  readonly line: number | undefined;

  constructor(what: string, line?: number) {
    super(line === undefined ? what : `line ${line}: ${what}`);
    this.line = line;
  }
}
