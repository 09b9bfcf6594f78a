/** A chart of time and cost per step: a self-contained SVG with light and dark theme. */
import { escapeHtml } from './escape.ts';
import { costWords, dollars, seconds, thousands } from './figures.ts';
import type { StepStats, TrajectoryStats } from './stats.ts';

const WIDTH = 960;
const LEFT = 72;
const RIGHT = 16;
const PANEL = 150;
const GAP = 64;
const TOP = 106;

interface Part {
  readonly className: string;
  readonly value: number;
}

interface Panel {
  readonly title: string;
  readonly parts: (step: StepStats) => readonly Part[];
  readonly label: (value: number) => string;
  /** A number of the axis, which is round. */
  readonly tick: (value: number) => string;
  /** The least distance of two numbers of the axis that is at least `value`. */
  readonly step: (value: number) => number;
}

const TIME: Panel = {
  title: 'Time of each step',
  parts: ({ model_seconds, tool_seconds }) => [
    { className: 'model', value: model_seconds ?? 0 },
    { className: 'tools', value: tool_seconds },
  ],
  label: seconds,
  tick: (value) => seconds(value).replace(/\.0| 0 (?:s|min)$/g, ''),
  step: (value) => TIME_STEPS.find((each) => each >= value) ?? 3_600 * decimalStep(value / 3_600, 1),
};

const COST: Panel = {
  title: 'Cost of each step',
  parts: ({ cost }) => [{ className: 'cost', value: cost ?? 0 }],
  label: dollars,
  tick: (value) => `$${Number(value.toFixed(4))}`,
  step: (value) => decimalStep(value, 0.0001),
};

const TOKENS: Panel = {
  title: 'Tokens of each step',
  parts: ({ prompt_tokens, completion_tokens }) => [
    { className: 'cost', value: (prompt_tokens ?? 0) + (completion_tokens ?? 0) },
  ],
  label: (value) => thousands(Math.round(value)),
  tick: (value) => thousands(value).replace('.0', ''),
  step: (value) => decimalStep(value, 1),
};

/** Seconds between numbers of an axis, up to an hour. */
const TIME_STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600];

/** 1, 2 or 5 times a power of ten; at least `value` and `least`. */
function decimalStep(value: number, least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, least)) + 1e-9);
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= value * (1 - 1e-9));
  return Math.max(step ?? power, least);
}

/** The numbers of an axis from 0 up to at least `most`. */
function ticksOf(most: number, step: (value: number) => number): number[] {
  const distance = step(most / 4);
  const count = Math.max(1, Math.ceil(most / distance - 1e-9));
  return Array.from({ length: count + 1 }, (_, i) => i * distance);
}

/** If prices are unknown, tokens are shown instead of cost. */
export function statsSvg(stats: TrajectoryStats, title = 'Conversation'): string {
  const panels = [TIME, stats.cost > 0 ? COST : TOKENS];
  const height = TOP + panels.length * (PANEL + GAP) - GAP + 40;
  const drawn = panels.map((panel, i) => panelSvg(panel, stats.steps, TOP + i * (PANEL + GAP)));
  return `<svg xmlns="http://www.w3.org/2000/svg" class="stats" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeHtml(title)}">
<style>${STYLE}</style>
<rect class="ground" width="${WIDTH}" height="${height}" rx="10"/>
<text class="title" x="${LEFT}" y="34">${escapeHtml(title)}</text>
<text class="words" x="${LEFT}" y="54">${escapeHtml(summary(stats))}</text>
${legend()}
${drawn.join('\n')}
</svg>
`;
}

function summary(stats: TrajectoryStats): string {
  const { interaction_turns: turns, tool_calls: calls, errors, failed_calls: failed, condensations } = stats;
  return [
    several(turns, 'turn'),
    several(calls, 'tool call'),
    several(errors, 'error'),
    several(failed, 'failed call'),
    several(condensations, 'condensation'),
    seconds(stats.seconds),
    costWords(stats) ?? 'cost unknown',
    `${thousands(stats.prompt_tokens)} tokens in, ${thousands(stats.completion_tokens)} out`,
  ].join(' · ');
}

function several(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

function legend(): string {
  return `<rect class="model" x="${WIDTH - 170}" y="${TOP - 26}" width="10" height="10" rx="2"/><text class="words" x="${WIDTH - 155}" y="${TOP - 17}">model</text><rect class="tools" x="${WIDTH - 100}" y="${TOP - 26}" width="10" height="10" rx="2"/><text class="words" x="${WIDTH - 85}" y="${TOP - 17}">tools</text>`;
}

function panelSvg(
  { title, parts, label, tick, step: stepOf }: Panel,
  steps: readonly StepStats[],
  top: number,
): string {
  const sums = steps.map((step) => parts(step).reduce((sum, { value }) => sum + value, 0));
  const ticks = ticksOf(Math.max(...sums, 0) || stepOf(0), stepOf);
  const most = ticks.at(-1) ?? 1;
  const pitch = (WIDTH - LEFT - RIGHT) / Math.max(steps.length, 1);
  const thick = Math.min(pitch * 0.78, 34);
  const floor = top + PANEL;
  const bars = steps.map((step, i) => {
    let base = floor;
    const x = LEFT + i * pitch + (pitch - thick) / 2;
    const rects = parts(step).map(({ className, value }) => {
      const tall = (value / most) * PANEL;
      base -= tall;
      return tall < 0.01
        ? ''
        : `<rect class="${className}" x="${x.toFixed(2)}" y="${base.toFixed(2)}" width="${thick.toFixed(2)}" height="${tall.toFixed(2)}"/>`;
    });
    const names = step.tools.length === 0 ? 'words' : step.tools.join(', ');
    return `<g><title>${escapeHtml(`step ${step.step}: ${names}, ${label(sums[i] ?? 0)}`)}</title>${rects.join('')}</g>`;
  });
  const lines = ticks.map((value) => {
    const y = (floor - (value / most) * PANEL).toFixed(1);
    return `<line class="line" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}"/><text class="words tick" x="${LEFT - 8}" y="${Number(y) + 4}">${escapeHtml(tick(value))}</text>`;
  });
  const every = Math.max(1, Math.ceil(steps.length / 24));
  const numbers = steps.flatMap(({ step }, i) =>
    i % every === 0
      ? [
          `<text class="words mid" x="${(LEFT + (i + 0.5) * pitch).toFixed(1)}" y="${floor + 16}">${step}</text>`,
        ]
      : [],
  );
  return `<text class="words" x="${LEFT}" y="${top - 16}">${title}</text>${lines.join('')}${bars.join('')}${numbers.join('')}`;
}

const STYLE = `
svg.stats{font:12px system-ui,-apple-system,"Segoe UI",sans-serif;--ground:#fff;--ink:#1d2330;--dim:#667085;--line:#e4e7ec;--model:#3b6fd4;--tools:#d97a1d;--cost:#1a8f7a}
@media (prefers-color-scheme:dark){svg.stats{--ground:#171b22;--ink:#e8ebf0;--dim:#98a2b3;--line:#2b323d;--model:#7aa2f7;--tools:#f0a35b;--cost:#4cc3ab}}
.stats .ground{fill:var(--ground)}.stats .title{font-size:16px;font-weight:600;fill:var(--ink)}.stats .words{fill:var(--dim)}
.stats .tick{text-anchor:end}.stats .mid{text-anchor:middle}.stats .line{stroke:var(--line)}
.stats .model{fill:var(--model)}.stats .tools{fill:var(--tools)}.stats .cost{fill:var(--cost)}
`.trim();
