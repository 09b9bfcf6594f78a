/** Styles of text on a terminal. */
export interface Style {
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const same = (text: string): string => text;

export const PLAIN: Style = { dim: same, bold: same, red: same, green: same, yellow: same, cyan: same };

const sgr = (on: number, off: number) => (text: string) =>
  text === '' ? '' : `\x1b[${on}m${text}\x1b[${off}m`;

const COLOURED: Style = {
  dim: sgr(2, 22),
  bold: sgr(1, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  cyan: sgr(36, 39),
};

type Environment = { readonly [name: string]: string | undefined };

/** Whether a stream is a terminal that understands control sequences. */
export function isTerminal(stream: { readonly isTTY?: boolean }, env: Environment): boolean {
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/** A non-empty NO_COLOR switches colours off: https://no-color.org */
export function styleFor(stream: { readonly isTTY?: boolean }, env: Environment): Style {
  return isTerminal(stream, env) && !env['NO_COLOR'] ? COLOURED : PLAIN;
}
