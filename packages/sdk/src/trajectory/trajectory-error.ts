/** A file that is not the trajectory it should be. The message names the line, and what was expected there. */
export class TrajectoryError extends Error {
  override readonly name = 'TrajectoryError';
  /** From 1; absent where no line is to blame. */
  readonly line: number | undefined;

  constructor(what: string, line?: number) {
    super(line === undefined ? what : `line ${line}: ${what}`);
    this.line = line;
  }
}
