/**
 * A conversation as one HTML page that needs no network, server or other file. Everything from the log is
 * escaped, and the page's content security policy allows only its own script, by hash.
 */

import { createHash } from 'node:crypto';
import { textOf } from '../../event/content.ts';
import type { Event } from '../../event/kinds.ts';
import { headOf } from '../../value/cut.ts';
import { defined } from '../../value/defined.ts';
import type { Exporter } from '../exporter.ts';
import { costWords, seconds, thousands } from '../figures.ts';
import { statsOf, type TrajectoryStats } from '../stats.ts';
import { statsSvg } from '../stats-svg.ts';
import { entriesMarkup } from './entries.ts';
import { say } from './say.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

export interface ReportOptions {
  readonly id: string;
  readonly stats: TrajectoryStats;
  readonly model?: string;
}

/** The report of a conversation: `branch` as a timeline, with its statistics. */
export function htmlReport(branch: readonly Event[], options: ReportOptions): string {
  const { id, stats, model } = options;
  const title = titleOf(branch);
  const svg = stats.steps.length === 0 ? '' : statsSvg(stats, 'Step by step');
  const [, svgStyle = ''] = /<style>([^<]*)<\/style>/.exec(svg) ?? [];
  const policy = [
    "default-src 'none'",
    'img-src data:',
    `style-src ${[STYLE, svgStyle].map(hashOf).join(' ')}`,
    `script-src ${hashOf(SCRIPT)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const facts = [id, model ?? '', (branch[0]?.timestamp ?? '').slice(0, 19).replace('T', ' ')];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${say(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<div class="top">
<h1>${say(title)}</h1>
<div class="meta">${facts
    .filter((fact) => fact !== '')
    .map(say)
    .join(' · ')}</div>
<div class="tiles">${tiles(stats)}</div>
${svg}
</div>
<div class="bar"><div>${BAR}</div></div>
<main>
${[...entriesMarkup(branch, stats.steps)].join('\n')}
</main>
<footer>Made by Longhand. This page makes no network requests.</footer>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

const GROUPS = [
  ['', 'All'],
  ['messages', 'Messages'],
  ['commands', 'Commands'],
  ['files', 'Files'],
  ['errors', 'Errors'],
  ['failed', 'Failed'],
] as const;

const BAR = [
  '<input id="query" type="search" placeholder="Search (press /)" aria-label="Search">',
  ...GROUPS.map(
    ([group, name], i) =>
      `<button type="button" data-group="${group}" aria-pressed="${i === 0}">${name}</button>`,
  ),
  '<button type="button" id="folds" aria-pressed="false">Unfold</button>',
  '<output id="found" for="query"></output>',
].join('');

function tiles(stats: TrajectoryStats): string {
  const facts: readonly (readonly [string, string])[] = [
    ['turns', String(stats.interaction_turns)],
    ['tool calls', String(stats.tool_calls)],
    ['errors', String(stats.errors)],
    ['failed calls', String(stats.failed_calls)],
    ['condensations', String(stats.condensations)],
    ['time', seconds(stats.seconds)],
    ['cost', costWords(stats) ?? '–'],
    ['tokens in', thousands(stats.prompt_tokens)],
    ['tokens out', thousands(stats.completion_tokens)],
  ];
  return facts
    .map(([name, value]) => `<div class="tile"><b>${say(value)}</b><span>${say(name)}</span></div>`)
    .join('');
}

/** The beginning of the task. */
function titleOf(branch: readonly Event[]): string {
  const task = branch.find((event) => event.kind === 'MessageEvent' && event.source === 'user');
  const words = task?.kind === 'MessageEvent' ? textOf(task.llm_message.content).trim() : '';
  const [line = ''] = words.split('\n');
  const shown = line.length > 140 ? `${headOf(line, 140)}…` : line;
  return shown === '' ? 'A conversation' : shown;
}

function hashOf(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
}

export const htmlExporter: Exporter = {
  about: 'a report',
  text: ({ id, events, branch, accounts, model }) =>
    htmlReport(branch, { id, stats: statsOf(events, accounts), ...defined({ model }) }),
};
