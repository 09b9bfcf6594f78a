/** What a program wrote to a terminal as an SVG that plays once: lines appear one after another, and the screen scrolls. */

const COLUMNS = 104;
const ROWS = 28;
const CHARACTER = { width: 8.5, height: 19 };
const PADDING = 16;
/** Milliseconds until a line appears behind the one before. */
const PACE = { line: 80, paragraph: 450, command: 600 };

interface Span {
  readonly text: string;
  /** Classes of the style sheet. */
  readonly style: string;
}

/** By SGR number; the numbers that switch a style off take away the styles that they name. */
const STYLES: { readonly [code: string]: string } = { 1: 'b', 2: 'd', 31: 'r', 32: 'g', 33: 'y', 36: 'c' };
const OFF: { readonly [code: string]: readonly string[] } = {
  0: ['b', 'd', 'r', 'g', 'y', 'c'],
  22: ['b', 'd'],
  39: ['r', 'g', 'y', 'c'],
};

/** Understands colours and the erasure of a line; other escape sequences are dropped. */
export function linesOf(output: string): readonly (readonly Span[])[] {
  const styles = new Set<string>();
  return output
    .replaceAll('\r\n', '\n')
    .split('\n')
    .flatMap((line) => {
      // A line that is drawn over, as by a spinner, ends as it was drawn last.
      const drawn = line.split('\r\x1b[2K').at(-1) ?? '';
      const spans: Span[] = [];
      for (const [, code, text] of drawn.matchAll(/\x1b\[([\d;?]*[A-Za-z])|([^\x1b]+)/g)) {
        if (text !== undefined) spans.push({ text, style: [...styles].join(' ') });
        else if (code?.endsWith('m') === true) restyle(styles, code.slice(0, -1) || '0');
      }
      return wrapped(spans);
    });
}

function restyle(styles: Set<string>, code: string): void {
  for (const style of OFF[code] ?? []) styles.delete(style);
  const style = STYLES[code];
  if (style !== undefined) styles.add(style);
}

/** As a terminal wraps: in the middle of words. */
function wrapped(spans: readonly Span[]): readonly Span[][] {
  const lines: Span[][] = [[]];
  let column = 0;
  for (const { text, style } of spans)
    for (const character of text) {
      if (column === COLUMNS) {
        lines.push([]);
        column = 0;
      }
      column += 1;
      const line = lines.at(-1) ?? [];
      const last = line.at(-1);
      if (last?.style === style) line[line.length - 1] = { text: last.text + character, style };
      else line.push({ text: character, style });
    }
  return lines;
}

export function pictureOf(lines: readonly (readonly Span[])[], title: string): string {
  const width = COLUMNS * CHARACTER.width + 2 * PADDING;
  const height = ROWS * CHARACTER.height + 2 * PADDING;
  const times = timesOf(lines);
  const totalMs = (times.at(-1) ?? 0) + 1;
  const scrolled = (count: number) => `translateY(${-Math.max(0, count - ROWS) * CHARACTER.height}px)`;
  const frames = times.map((ms, i) => `${((ms / totalMs) * 100).toFixed(3)}%{transform:${scrolled(i + 1)}}`);
  const texts = lines.map((spans, i) => {
    const y = (i + 1) * CHARACTER.height - 5;
    return spans.length === 0
      ? ''
      : `<text y="${y}" style="animation-delay:${times[i]}ms">${spans.map(spanOf).join('')}</text>\n`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d7dae0;white-space:pre;animation:show 1ms linear both}
.b{font-weight:bold}.d{fill:#8b93a1}.r{fill:#ef7a85}.g{fill:#8fc97a}.y{fill:#e0b36a}.c{fill:#62b8d6}
#screen{transform:${scrolled(lines.length)};animation:scroll ${totalMs}ms steps(1,end) both}
@keyframes show{from{opacity:0}}
@keyframes scroll{0%{transform:translateY(0)}${frames.join('')}}
@media (prefers-reduced-motion:reduce){text,#screen{animation:none}}
</style>
<rect width="100%" height="100%" rx="8" fill="#1b1e24"/>
<clipPath id="frame"><rect width="${width}" height="${ROWS * CHARACTER.height}"/></clipPath>
<g transform="translate(${PADDING} ${PADDING})" clip-path="url(#frame)">
<g id="screen">
${texts.join('')}</g>
</g>
</svg>
`;
}

/** From the lines themselves, and not from a clock: the same lines make the same picture. */
function timesOf(lines: readonly (readonly Span[])[]): readonly number[] {
  let ms = 0;
  return lines.map((spans, i) => {
    const isCommand = spans[0]?.text.startsWith('$ ') === true;
    const startsParagraph = i > 0 && lines[i - 1]?.length === 0;
    ms += isCommand ? PACE.command : startsParagraph ? PACE.paragraph : PACE.line;
    return ms;
  });
}

function spanOf({ text, style }: Span): string {
  return style === '' ? escaped(text) : `<tspan class="${style}">${escaped(text)}</tspan>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
