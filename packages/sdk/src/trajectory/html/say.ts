import { escapeHtml } from '../escape.ts';

const TERMINAL_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** Escaped text, safe in an element or in quotes. */
export function say(text: string): string {
  return escapeHtml(text.replaceAll('\r\n', '\n').replace(TERMINAL_SEQUENCE, ''));
}
