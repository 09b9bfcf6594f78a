/** Small pieces of the page. Everything that comes from a log goes through `say`, `written` or `box`. */
import { headOf } from '../../value/cut.ts';
import { escapeHtml } from '../escape.ts';
import { markdownMarkup } from './markdown.ts';
import { say } from './say.ts';

const MANY_LINES = 24;
/** Longer text is cut, because it makes the page slow. */
const MOST_CHARACTERS = 100_000;

/** Preformatted text; long text is folded. */
export function box(text: string, className = '', open = false): string {
  if (text === '') return '';
  const shown =
    text.length <= MOST_CHARACTERS
      ? text
      : `${headOf(text, MOST_CHARACTERS)}\n[cut here: ${text.length} characters in all]`;
  const lines = shown.split('\n').length;
  const pre = `<pre class="${className}">${say(shown)}</pre>`;
  return lines <= MANY_LINES ? pre : fold(`${lines} lines`, pre, open);
}

/** `summary` is text, `content` is markup. */
export function fold(summary: string, content: string, open = false): string {
  return `<details${open ? ' open' : ''}><summary>${say(summary)}</summary>${content}</details>`;
}

export function badge(text: string, className = ''): string {
  return `<span class="badge ${className}">${say(text)}</span>`;
}

export function prose(text: string): string {
  return text.trim() === '' ? '' : `<div class="prose">${say(text.trim())}</div>`;
}

/** What a model writes: Markdown. Text of people stays as it is, since it may be the output of a program. */
export function written(text: string): string {
  return text.trim() === '' ? '' : `<div class="prose">${markdownMarkup(text.trim())}</div>`;
}

/** An image from the log; an image with a URL is only listed, because the page makes no requests. */
export function picture(url: string): string {
  return /^data:image\/(?:png|jpeg|gif|webp|bmp);base64,[A-Za-z0-9+/=\s]*$/.test(url)
    ? `<img alt="image" src="${escapeHtml(url)}">`
    : `<div class="dim">image: ${say(url.slice(0, 200))}</div>`;
}
