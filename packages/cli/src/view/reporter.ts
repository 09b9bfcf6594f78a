/** The four ways in which a run is shown: live, as text, as JSON lines, and quietly. */
import type { Conversation, Outcome } from '@longhand/sdk';
import type { LogLevel } from '../flags/shared-flags.ts';
import type { OutputOptions } from '../flags/table.ts';
import { callLine } from './call-line.ts';
import { jsonLinesView } from './json-lines.ts';
import { INTERRUPTING, noticeLine } from './notice-line.ts';
import { conversationLine, outcomeLine, ownLine } from './own-lines.ts';
import { plainView, type View } from './plain-view.ts';
import { sanitize } from './sanitize.ts';
import type { Output } from './screen.ts';
import { isTerminal, styleFor } from './style.ts';
import { complaintLines, figures, type Summary, summaryLines } from './summary.ts';
import { TerminalView } from './terminal-view.ts';

export interface Streams {
  readonly stdout: Output & { readonly isTTY?: boolean };
  readonly stderr: Output & { readonly isTTY?: boolean };
}

export interface Reporter {
  /** Whether the model's replies should be streamed. */
  readonly isLive: boolean;
  /** For people only: left out if a program reads standard output. */
  say(line: string): void;
  warn(text: string): void;
  /** The output of a program that runs before the agent; on standard error if a program reads standard output. */
  output(text: string): void;
  /** Names the conversation, before its first event. */
  begin(facts: Parameters<typeof conversationLine>[0]): void;
  view(conversation: Pick<Conversation, 'state' | 'tool'>): View;
  end(summary: Summary): void;
}

const MAX_LINES = 40;

export function createReporter(
  { json = false, quiet = false, logLevel = 'warning' }: OutputOptions,
  streams: Streams,
  env: { readonly [name: string]: string | undefined },
): Reporter {
  // Made on first use, which takes milliseconds.
  const style = () => styleFor(streams.stdout, env);
  const isForPeople = !json && !quiet;
  const isLive = isForPeople && isTerminal(streams.stdout, env);
  const warn = (text: string) => {
    if (logLevel !== 'error') streams.stderr.write(`warning: ${sanitize(text)}\n`);
  };
  const viewOf = (conversation: Pick<Conversation, 'state' | 'tool'>): View => {
    const tool = (name: string) => conversation.tool(name);
    if (isLive) {
      const now = () => performance.now();
      return new TerminalView(streams.stdout, {
        style: style(),
        maxLines: MAX_LINES,
        tool,
        now,
        figures: () => figures(conversation.state.stats),
      });
    }
    if (isForPeople) return plainView(streams.stdout, { style: style(), maxLines: MAX_LINES, tool });
    return withNotices(json ? jsonLinesView(streams.stdout) : SILENT, streams, logLevel);
  };
  return {
    isLive,
    say: (line) => {
      if (isForPeople) streams.stdout.write(`${style().dim(sanitize(line))}\n`);
    },
    warn,
    output: (text) => {
      (isForPeople ? streams.stdout : streams.stderr).write(sanitize(text));
    },
    begin: (facts) => {
      if (json) streams.stdout.write(ownLine(conversationLine(facts)));
    },
    view: (conversation) => {
      const view = viewOf(conversation);
      return logLevel === 'debug' ? withCalls(view, streams.stderr, isLive) : view;
    },
    end: (summary) => {
      if (quiet) printMessage(summary.outcome, streams.stdout);
      else if (json) {
        const { id, outcome, stats, elapsedMs } = summary;
        streams.stdout.write(ownLine(outcomeLine(id, outcome, stats, elapsedMs)));
      } else print(summaryLines(summary, style()), streams.stdout);
      const complaints = complaintLines(summary.outcome);
      if (complaints.length > 0) print(complaints, streams.stderr);
      if (logLevel === 'debug') printCause(summary.outcome, streams.stderr);
    },
  };
}

const SILENT: View = {
  onEvent: () => undefined,
  onNotice: () => undefined,
  interrupting: () => undefined,
  close: () => undefined,
};

/** Calls to models go to standard error; a live view redraws the line that is cleared for them. */
function withCalls(view: View, out: Output & { readonly isTTY?: boolean }, isLive: boolean): View {
  const clear = isLive && out.isTTY === true ? '\r\u001b[2K' : '';
  return {
    onEvent: (event, index) => view.onEvent(event, index),
    onNotice: (notice) => {
      view.onNotice(notice);
      if (notice.type === 'model-call') out.write(`${clear}${callLine(notice.call, new Date())}\n`);
    },
    interrupting: () => view.interrupting(),
    close: () => view.close(),
  };
}

/** Retries and warnings go to standard error if standard output is not for people. */
function withNotices(view: View, streams: Streams, logLevel: LogLevel): View {
  return {
    ...view,
    interrupting: () => {
      if (logLevel !== 'error') streams.stderr.write(`${INTERRUPTING}\n`);
    },
    onNotice: (notice) => {
      view.onNotice(notice);
      const line = noticeLine(notice);
      if (line !== null && logLevel !== 'error') streams.stderr.write(`${line}\n`);
    },
  };
}

function printMessage(outcome: Outcome, out: Output): void {
  if (outcome.kind === 'finished') out.write(`${sanitize(outcome.message).trim()}\n`);
}

function printCause(outcome: Outcome, out: Output): void {
  if (outcome.kind === 'error' && outcome.cause instanceof Error)
    out.write(`${sanitize(outcome.cause.stack ?? '')}\n`);
}

function print(lines: readonly string[], out: Output): void {
  if (lines.length > 0) out.write(`${lines.join('\n')}\n`);
}
