/** Locates the fault in a template, which the template engine does not report. */
import type { Template as JinjaTemplate } from '@huggingface/jinja';
import type { Values } from './template.ts';

export interface Fault {
  /** Offset of the faulty tag in the source; undefined if there are no tags. */
  readonly offset: number | undefined;
  /** A better explanation than the engine's, if there is one. */
  readonly why?: string;
}

interface Tag {
  readonly text: string;
  readonly offset: number;
}

/** The fault of a template that cannot be rendered: an unclosed block, a malformed tag, or else the tag that fails. */
export async function faultIn(source: string, values: Values): Promise<Fault> {
  const { Template } = await import('@huggingface/jinja');
  const tags = tagsOf(source);
  return (
    openBlock(tags) ?? {
      offset: (
        tags.find(({ text }) => !isTemplate(Template, alone(text))) ??
        failing(Template, source, tags, values) ??
        tags.at(-1)
      )?.offset,
    }
  );
}

function tagsOf(source: string): Tag[] {
  const found = source.matchAll(/\{#[\s\S]*?#\}|\{%[\s\S]*?%\}|\{\{[\s\S]*?\}\}|\{[%{][^\n]*/g);
  return [...found]
    .map(({ 0: text, index }) => ({ text, offset: index }))
    .filter(({ text }) => !text.startsWith('{#'));
}

const BLOCK = /^\{%-?\s*(end)?(if|for|macro|call|filter)\b/;

function openBlock(tags: readonly Tag[]): Fault | undefined {
  const open: Tag[] = [];
  for (const tag of tags) {
    const [, end, name] = BLOCK.exec(tag.text) ?? [];
    if (name === undefined) continue;
    if (end === undefined) open.push(tag);
    else if (open.pop() === undefined) return { offset: tag.offset, why: `${tag.text} closes nothing` };
  }
  const last = open.at(-1);
  return last === undefined ? undefined : { offset: last.offset, why: `${last.text} is never closed` };
}

/** What a tag needs around it to form a template of its own. */
const AROUND: readonly (readonly [RegExp, (tag: string) => string])[] = [
  [/^\{%-?\s*if\b/, (tag) => `${tag}{% endif %}`],
  [/^\{%-?\s*elif\b/, (tag) => `{% if true %}${tag}{% endif %}`],
  [/^\{%-?\s*for\b/, (tag) => `${tag}{% endfor %}`],
  [/^\{%-?\s*(else|macro|call|filter|end\w+)\b/, () => ''],
];

function alone(tag: string): string {
  return AROUND.find(([pattern]) => pattern.test(tag))?.[1](tag) ?? tag;
}

function isTemplate(Template: typeof JinjaTemplate, source: string): boolean {
  try {
    new Template(source);
    return true;
  } catch {
    return false;
  }
}

/** The first `{{ }}` that fails when later ones are removed, or a statement that fails on its own. */
function failing(
  Template: typeof JinjaTemplate,
  source: string,
  tags: readonly Tag[],
  values: Values,
): Tag | undefined {
  const fails = (template: string) => {
    try {
      new Template(template).render({ ...values });
      return false;
    } catch {
      return true;
    }
  };
  const without = (behind: number) => {
    const gone = tags.filter(({ text, offset }) => text.startsWith('{{') && offset >= behind);
    return gone.reduceRight(
      (rest, { text, offset }) => rest.slice(0, offset) + rest.slice(offset + text.length),
      source,
    );
  };
  if (fails(without(0))) return tags.find(({ text }) => fails(alone(text)));
  return tags.find(({ text, offset }) => text.startsWith('{{') && fails(without(offset + text.length)));
}
