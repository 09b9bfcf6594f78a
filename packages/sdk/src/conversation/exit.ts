/** The message `/exit`: it is for the engine, which ends the conversation and asks no model (as V0's CodeActAgent). */
import { rejection } from '../agent/results.ts';
import { type Content, textOf } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';
import type { View } from '../view/view.ts';
import { statusUpdate } from './state/state.ts';

const EXIT = '/exit';
const REASON = 'The user ended the conversation before this call was executed.';

export function isExit(words: string | readonly Content[]): boolean {
  if (typeof words === 'string') return words.trim() === EXIT;
  return words.every(({ type }) => type === 'text') && textOf(words).trim() === EXIT;
}

/** The events that record the end: open calls are refused, and the user has set the status. */
export function exitEvents(view: Pick<View, 'openActions'>): readonly Draft[] {
  const refused = view.openActions().map((action) => rejection(action, REASON, 'user'));
  return [...refused, { ...statusUpdate('finished'), source: 'user' }];
}
