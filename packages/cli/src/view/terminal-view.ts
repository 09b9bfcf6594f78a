import type { Event, Notice } from '@longhand/sdk';
import type { Delta } from '@longhand/sdk/internal';
import { count, duration } from './figures.ts';
import { indent, type LineOptions, paint } from './lines.ts';
import { MarkdownPainter } from './markdown.ts';
import { INTERRUPTING, noticeLine } from './notice-line.ts';
import { OutputTail } from './output-tail.ts';
import type { View } from './plain-view.ts';
import { sanitize, sanitizeLine } from './sanitize.ts';
import { type Output, Screen } from './screen.ts';
import { Transcript } from './transcript.ts';

export interface TerminalViewOptions extends LineOptions {
  /** Tokens and cost so far, for the spinner's line. */
  readonly figures: () => string;
  readonly now: () => number;
}

/** How many of the latest lines of a running call are shown. */
const OUTPUT_LINES = 8;

type Streamed = Exclude<Delta['type'], 'tool-input'>;

/** The live view: text while the model writes it, calls while they run, and a spinner in between. */
export class TerminalView implements View {
  readonly #screen: Screen;
  readonly #options: TerminalViewOptions;
  readonly #transcript: Transcript;
  readonly #markdown: MarkdownPainter;
  readonly #output = new OutputTail();
  #shown = { text: false, reasoning: false };
  #streaming: Streamed | null = null;
  #writtenLength = 0;
  #activity: { label: string; detail: string; readonly since: number } | null = null;

  constructor(out: Output, options: TerminalViewOptions) {
    this.#screen = new Screen(out);
    this.#options = options;
    this.#transcript = new Transcript(options);
    this.#markdown = new MarkdownPainter(options.style);
  }

  onEvent(event: Event): void {
    if (event.kind === 'ObservationEvent') this.#output.clear(event.action_id);
    this.#screen.print(this.#transcript.event(event, this.#shown));
    if (event.kind === 'ActionEvent' || event.kind === 'MessageEvent') this.#forgetAnswer();
  }

  onNotice(notice: Notice): void {
    if (notice.type === 'model-start') {
      this.#forgetAnswer();
      this.#begin('thinking');
    } else if (notice.type === 'delta') {
      this.#delta(notice.delta);
    } else if (notice.type === 'model-end') {
      this.#streaming = null;
      this.#endText();
      this.#screen.rest();
    } else if (notice.type === 'tool-start') {
      this.#screen.print(this.#transcript.started(notice.actionId));
      this.#begin(`running ${sanitizeLine(notice.toolName)}`);
    } else if (notice.type === 'tool-output') {
      this.#output.push(notice.actionId, notice.text, notice.omitted > 0);
    } else if (notice.type === 'tool-progress') {
      if (this.#activity !== null) this.#activity.detail = lastLine(notice.text);
    } else {
      const line = noticeLine(notice);
      if (line !== null) {
        this.#endText();
        this.#screen.print([this.#options.style.yellow(line)]);
      }
      if (notice.type === 'retry') this.#waitToRetry(notice.retry.waitMs);
    }
  }

  interrupting(): void {
    this.#endText();
    this.#screen.print([this.#options.style.yellow(INTERRUPTING)]);
    this.#begin('interrupting');
  }

  close(): void {
    this.#screen.rest();
    this.#endText();
    this.#screen.print(this.#transcript.rest());
  }

  #delta(delta: Delta): void {
    if (delta.type === 'tool-input') this.#writeCall(delta.toolName, delta.text.length);
    else if (this.#streaming === delta.type) this.#say(delta.type, delta.text);
    else if (delta.text.trim() !== '') {
      this.#endText();
      if (!this.#shown.text && !this.#shown.reasoning) this.#screen.print(this.#transcript.separator());
      this.#streaming = delta.type;
      this.#shown = { ...this.#shown, [delta.type]: true };
      this.#say(delta.type, delta.text.trimStart());
    }
  }

  #say(type: Streamed, text: string): void {
    if (type === 'reasoning') this.#screen.stream(sanitize(text), this.#options.style.dim);
    else this.#screen.stream(this.#markdown.push(sanitize(text)));
  }

  /** Shows what was held back of the text, and ends its line. */
  #endText(): void {
    this.#screen.stream(this.#markdown.end());
    this.#screen.endLine();
  }

  /** Without this, nothing would be shown while a long call, such as a new file, is written. */
  #writeCall(toolName: string, length: number): void {
    this.#streaming = null;
    this.#endText();
    const label = `writing a call to ${sanitizeLine(toolName)}`;
    if (this.#activity?.label !== label) this.#begin(label);
    this.#writtenLength += length;
    if (this.#activity !== null) this.#activity.detail = `${count(this.#writtenLength)} characters`;
  }

  #waitToRetry(waitMs: number): void {
    this.#forgetAnswer();
    this.#begin('thinking', (label, elapsedMs) =>
      elapsedMs < waitMs
        ? `retrying in ${Math.ceil((waitMs - elapsedMs) / 1000)} s`
        : timed(label, elapsedMs - waitMs),
    );
  }

  #begin(label: string, text = timed): void {
    const { now, figures } = this.#options;
    const activity = { label, detail: '', since: now() };
    this.#activity = activity;
    this.#writtenLength = 0;
    this.#screen.spin((columns) => {
      const parts = [text(activity.label, now() - activity.since), figures(), activity.detail];
      const output = indent(this.#output.lines(OUTPUT_LINES, columns - 2));
      return {
        label: parts.filter((part) => part !== '').join(' · '),
        above: paint(output, this.#options.style.dim),
      };
    });
  }

  #forgetAnswer(): void {
    this.#shown = { text: false, reasoning: false };
    this.#streaming = null;
  }
}

/** What is done, and for how long if it takes its time. */
function timed(label: string, elapsedMs: number): string {
  return elapsedMs < 1000 ? label : `${label} · ${duration(elapsedMs)}`;
}

function lastLine(text: string): string {
  const lines = sanitize(text).trimEnd().split('\n');
  return sanitizeLine(lines.at(-1) ?? '');
}
