/** Knowledge that skills add to a message, as V0 recalls it and as our events hold it. */
import { extraInfo } from '../../context/agent-context.ts';
import { type TextContent, text } from '../../event/content.ts';
import type { MessageEvent } from '../../event/kinds.ts';
import { isRecord } from '../../value/is-record.ts';
import { words } from '../foreign-values.ts';

/** One entry of `microagent_knowledge`. */
export interface V0Knowledge {
  readonly name: string;
  /** The word that triggered the skill; empty if unknown. */
  readonly trigger: string;
  readonly content: string;
}

/** A block of knowledge as the engine and the OpenHands SDK write it; the quotes in its first line hold the trigger. */
const BLOCK = /<EXTRA_INFO>\n[\s\S]*?\n<\/EXTRA_INFO>/g;
const TRIGGER = /^<EXTRA_INFO>\n[^"\n]*"([^"\n]*)"/;

/** The knowledge added to a message, block by block. The names are those of the blocks, in order. */
export function knowledgeOf({
  activated_skills: names = [],
  extended_content: texts = [],
}: Pick<MessageEvent, 'activated_skills' | 'extended_content'>): V0Knowledge[] {
  const pieces = texts.flatMap(({ text: whole }) => piecesOf(whole));
  const hasBlocks = pieces.some((piece) => TRIGGER.test(piece));
  const left = [...names];
  const entries = pieces.map((content) => ({
    name: (hasBlocks && !TRIGGER.test(content) ? undefined : left.shift()) ?? '',
    trigger: TRIGGER.exec(content)?.[1] ?? '',
    content,
  }));
  return [...entries, ...left.map((name) => ({ name, trigger: '', content: '' }))];
}

/** Splits a text into blocks and the lines between them. Returns the whole text if joining the parts would not give it back. */
function piecesOf(whole: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const { 0: block, index } of whole.matchAll(BLOCK)) {
    if (index > from) pieces.push(whole.slice(from, index - 1));
    pieces.push(block);
    from = index + block.length + 1;
  }
  if (from < whole.length) pieces.push(whole.slice(from));
  return pieces.join('\n') === whole ? pieces : [whole];
}

/** Entries that are not `told` yet, as a message holds them. */
export function knowledgeFrom(
  recalled: unknown,
  told: ReadonlySet<string>,
): { readonly names: readonly string[]; readonly content: readonly TextContent[] } {
  const entries = (Array.isArray(recalled) ? recalled.filter(isRecord) : [])
    .map(({ name, trigger, content }) => ({
      name: words(name),
      trigger: words(trigger),
      content: words(content),
    }))
    .filter(({ name }) => !told.has(name));
  return {
    names: entries.map(({ name }) => name).filter((name) => name !== ''),
    content: entries.filter(({ content }) => content !== '').map((entry) => text(shown(entry))),
  };
}

/** V0 adds the trigger when it builds the prompt; our events contain it. */
function shown({ trigger, content }: V0Knowledge): string {
  return trigger === '' || TRIGGER.test(content) ? content : extraInfo(trigger, content);
}
