import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  callDraft,
  countingClock,
  errorDraft,
  observationDraft,
  randomHistory,
  wordsDraft,
} from '../../../test-support/random-history.ts';
import { text } from '../../event/content.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import type { Event } from '../../event/kinds.ts';
import { statsOf } from '../stats.ts';
import { statsSvg } from '../stats-svg.ts';
import { htmlReport } from './report.ts';

const report = (events: readonly Event[]) => htmlReport(events, { id: 'id', stats: statsOf(events) });

function history(...drafts: readonly Draft[]): Event[] {
  const clock = countingClock();
  return drafts.map((draft) => eventOf(draft, null, clock));
}

/** A history with `words` in every field that holds text. */
function saying(words: string): Event[] {
  return history(
    {
      source: 'agent',
      system_prompt: text(words),
      tools: [],
      dynamic_context: text(words),
      kind: 'SystemPromptEvent',
    },
    wordsDraft('user', words),
    {
      ...callDraft('a', words, words),
      tool_name: words,
      thought: [text(words)],
      reasoning_content: words,
    } as Draft,
    {
      ...observationDraft('a', words, words),
      observation: { content: [text(words)], is_error: false, exit_code: 1, kind: words },
    } as Draft,
    {
      ...callDraft('b', `${words}2`),
      action: {
        command: words,
        path: words,
        old_str: words,
        new_str: `${words}\n${words}`,
        kind: 'FileEditorAction',
      },
    } as Draft,
    {
      source: 'environment',
      tool_name: words,
      tool_call_id: 'b',
      rejection_reason: words,
      rejection_source: 'user',
      action_id: words,
      kind: 'UserRejectObservation',
    },
    {
      ...callDraft('c', `${words}3`),
      action: { command: 'plan', task_list: [{ title: words, status: words }], kind: 'TaskTrackerAction' },
    } as Draft,
    {
      source: 'environment',
      forgotten_event_ids: [],
      summary: words,
      llm_response_id: words,
      kind: 'Condensation',
    },
    { source: 'environment', code: words, detail: words, kind: 'ConversationErrorEvent' },
    {
      ...wordsDraft('agent', words),
      llm_message: {
        role: 'assistant',
        content: [text(words), { type: 'image', image_urls: [words, `data:image/png;base64,${words}`] }],
      },
    } as Draft,
    { source: 'environment', kind: words } as never,
    wordsDraft('environment', words),
  );
}

/** Markup that Markdown may become. */
const MARKDOWN_TAG =
  /^<(?:\/?(?:p|h3|h4|ul|li|blockquote|pre|code|table|tr|td|th|strong|em|a|ol)|hr|ol start="\d+"|a href="https?:\/\/[^"<>\s]*" rel="noreferrer")>$/;

/** Tags, their order and their attributes' names: what a browser makes of a page, apart from its words. Throws for other markup in Markdown. */
function skeleton(html: string): string {
  return html
    .replace(/(<div class="prose">)([\s\S]*?)(<\/div>)/g, (_, begin: string, inner: string, end: string) => {
      for (const [tag] of inner.matchAll(/<[^>]*>?/g)) assert.match(tag, MARKDOWN_TAG);
      return begin + end;
    })
    .replace(/<title>[^<]*<\/title>/g, '<title>')
    .replace(/(<(?:style|script)>)[\s\S]*?(<\/(?:style|script)>)/g, '$1$2')
    .replace(/="[^"]*"/g, '=""')
    .replace(/>[^<]+/g, '>');
}

/** Its text is not Base64, which would become an image. */
const HARMLESS = skeleton(report(saying('wörd')));

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</pre></details></article><h1>',
  '<!-- ',
  ']]><svg onload=alert(1)>',
  '&lt;b&gt;',
  '</script><script>',
  '</style><style>',
  '\u001b[31mred\u001b[0m\u0000\u0007',
];

test('HTML report: every string is escaped, wherever it occurs', () => {
  for (const words of HOSTILE) assert.ok(skeleton(report(saying(words))) === HARMLESS, words);
});

test('HTML report: no text adds elements to the page, apart from Markdown', () => {
  const line = fc.string({ unit: 'grapheme' }).filter((words) => !/[\r\n]/.test(words));
  fc.assert(
    fc.property(line, (words) => {
      assert.ok(skeleton(report(saying(`wörd${words}`))) === HARMLESS);
    }),
    { numRuns: 200 },
  );
});

test('HTML report: the page is self-contained: it makes no requests, and only its own script may run', () => {
  const html = report(saying('see https://example.com/x.png'));
  const loads = [...html.matchAll(/\b(?:src|href|action|data|poster|srcset)="([^"]*)"/g)].map(
    ([, url = '']) => url,
  );
  assert.deepEqual(
    loads.filter((url) => !url.startsWith('#') && !url.startsWith('data:image/')),
    [],
  );
  assert.equal(/@import|url\(|fetch\(|XMLHttpRequest|import\(/.test(html.replaceAll('<pre', '')), false);
  assert.match(
    html,
    /Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-[^']+' 'sha256-[^']+'; script-src 'sha256-[^']+';/,
  );
});

test('HTML report: shows timeline, commands, diffs and counts', () => {
  const events = history(
    wordsDraft('user', 'mend it'),
    callDraft('a', 'r1', 'npm test'),
    {
      ...observationDraft('a', 'x', 'one failure'),
      observation: {
        content: [text('one failure')],
        is_error: false,
        exit_code: 1,
        kind: 'TerminalObservation',
      },
    } as Draft,
    {
      ...callDraft('b', 'r2'),
      tool_name: 'file_editor',
      action: {
        command: 'str_replace',
        path: '/w/a.js',
        old_str: 'x',
        new_str: 'y',
        kind: 'FileEditorAction',
      },
    } as Draft,
    {
      ...observationDraft('b', 'x', 'changed'),
      observation: {
        content: [text('changed')],
        is_error: false,
        old_content: 'x\n',
        new_content: 'y\n',
        kind: 'FileEditorObservation',
      },
    } as Draft,
  );
  const html = report(events);
  assert.match(html, /<h1>mend it<\/h1>/);
  assert.match(html, /<pre class="command">npm test<\/pre><pre class="output">one failure<\/pre>/);
  assert.match(html, /exit 1/);
  assert.match(html, /<span class="minus">-x<\/span>\n<span class="plus">\+y<\/span>/);
  assert.match(html, /<b>2<\/b><span>tool calls<\/span>/);
  assert.equal(html.match(/<article /g)?.length, 3);
});

test('HTML report and chart: they can be made from any history', () => {
  fc.assert(
    fc.property(randomHistory, (events) => {
      assert.match(report(events), /^<!doctype html>[\s\S]*<\/html>\n$/);
      assert.match(statsSvg(statsOf(events)), /^<svg [\s\S]*<\/svg>\n$/);
      assert.equal(/NaN|undefined|Infinity/.test(statsSvg(statsOf(events))), false);
    }),
    { numRuns: 50 },
  );
});

test('HTML report and counts: a task list with a null entry, and a tool named like a property of objects', () => {
  const events = history(
    wordsDraft('user', 'plan'),
    {
      ...callDraft('a', 'r1'),
      tool_name: 'constructor',
      action: { command: 'plan', task_list: [null, { title: 'one' }], kind: 'TaskTrackerAction' },
    } as Draft,
    observationDraft('a', 'x', 'planned'),
  );
  assert.match(report(events), /<ul class="tasks"><li class="">· one<\/li><\/ul>/);
  assert.deepEqual(statsOf(events).tools, Object.fromEntries([['constructor', 1]]));
});

test('HTML report: what the agent says is Markdown, what people say is as they wrote it', () => {
  const html = report(
    history(
      wordsDraft('user', '- **one**'),
      { ...callDraft('a', 'r1'), thought: [text('I `look`.')] } as Draft,
      wordsDraft('agent', '- **two**'),
    ),
  );
  const said = [...html.matchAll(/<div class="prose">([\s\S]*?)<\/div>/g)].map(([, markup]) => markup);
  assert.deepEqual(said, [
    '- **one**',
    '<p>I <code>look</code>.</p>',
    '<ul><li><strong>two</strong></li></ul>',
  ]);
});

/** The numbers of the axes of a chart, panel by panel as they follow each other. */
const ticks = (svg: string) =>
  [...svg.matchAll(/class="words tick"[^>]*>([^<]*)</g)].map(([, words]) => words);

test('chart: the numbers of the axes are round', () => {
  const step = (model_seconds: number, cost: number | null, prompt_tokens: number) => ({
    step: 1,
    event: 0,
    timestamp: '',
    response_id: 'r',
    tools: [],
    errors: 0,
    model_seconds,
    tool_seconds: 0,
    cost,
    prompt_tokens,
    completion_tokens: 0,
    cache_read_tokens: 0,
  });
  const drawn = (...figures: Parameters<typeof step>) => {
    const [, cost] = figures;
    return ticks(statsSvg({ ...statsOf([]), cost: cost ?? 0, steps: [step(...figures)] }));
  };
  assert.deepEqual(drawn(7.3, 0.0123, 0), [
    '0 s',
    '2 s',
    '4 s',
    '6 s',
    '8 s',
    '$0',
    '$0.005',
    '$0.01',
    '$0.015',
  ]);
  assert.deepEqual(drawn(0.31, null, 17_300), [
    '0 s',
    '0.1 s',
    '0.2 s',
    '0.3 s',
    '0.4 s',
    '0',
    '5000',
    '10k',
    '15k',
    '20k',
  ]);
  assert.deepEqual(drawn(700, null, 3), ['0 s', '5 min', '10 min', '15 min', '0', '1', '2', '3']);
  assert.deepEqual(drawn(20_000, 7, 0).slice(0, 4), ['0 s', '2 h', '4 h', '6 h']);
  assert.deepEqual(drawn(0, null, 0), ['0 s', '0.1 s', '0', '1']);
});

test('stats, tiles and filters of the report count errors and failed calls alike', () => {
  const refused = {
    source: 'environment',
    tool_name: 'terminal',
    tool_call_id: 'c',
    rejection_reason: 'no',
    rejection_source: 'user',
    action_id: 'x',
    kind: 'UserRejectObservation',
  } as Draft;
  const exit = (id: string, exit_code: number, is_error = false) =>
    ({
      ...observationDraft(id, 'x'),
      observation: { content: [text('said')], is_error, exit_code, kind: 'TerminalObservation' },
    }) as Draft;
  const events = history(
    callDraft('a', 'r1'),
    errorDraft('a'),
    callDraft('b', 'r2'),
    exit('b', 2),
    callDraft('c', 'r3'),
    refused,
    callDraft('d', 'r4'),
    exit('d', 0),
    callDraft('e', 'r5'),
    exit('e', -1),
    callDraft('f', 'r6'),
    exit('f', -1, true),
  );
  const { errors, failed_calls } = statsOf(events);
  assert.deepEqual([errors, failed_calls], [1, 4]);
  const html = report(events);
  const inGroup = (group: string) =>
    [...html.matchAll(/data-groups="([^"]*)"/g)].filter(([, groups = '']) =>
      groups.split(' ').includes(group),
    ).length;
  assert.deepEqual([inGroup('errors'), inGroup('failed')], [errors, failed_calls]);
  const tile = (name: string) => Number(new RegExp(`<b>(\\d+)</b><span>${name}</span>`).exec(html)?.[1]);
  assert.deepEqual([tile('errors'), tile('failed calls')], [errors, failed_calls]);
  assert.deepEqual(
    [...html.matchAll(/class="badge (?:good|bad|warn)">([^<]*)</g)].map(([, words]) => words),
    ['error', 'exit 2', 'refused', 'exit 0', 'still running', 'failed'],
  );
});
