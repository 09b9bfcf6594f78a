import { defined } from '@longhand/sdk/value';
import type { Frame, Page } from 'playwright-core';
import { inTime } from '../in-time.ts';
import { type AriaNode, walk } from './aria-node.ts';

const ANSWER_MS = 5_000;

/** Masks the content of password fields as the screen does: one dot per character. */
export async function withoutPasswords(page: Page, nodes: readonly AriaNode[]): Promise<readonly AriaNode[]> {
  const filled = [...walk(nodes)].flatMap(([{ role, text = '', ref }]) =>
    role === 'textbox' && text !== '' && ref !== undefined ? [{ text: plain(text), ref }] : [],
  );
  if (filled.length === 0) return nodes;
  // Asking for each field separately takes milliseconds each, and most pages have no password field.
  const values = new Set((await Promise.all(page.frames().map(passwordsIn))).flat());
  const alike = filled.filter(({ text }) => values.has(text)).map(({ ref }) => ref);
  const secret = await Promise.all(alike.map((ref) => isPassword(page, ref)));
  const refs = new Set(alike.filter((_, i) => secret[i]));
  const masked = (node: AriaNode): AriaNode =>
    node.ref !== undefined && refs.has(node.ref)
      ? { ...node, text: '•'.repeat(node.text?.length ?? 0) }
      : { ...node, ...defined({ children: node.children?.map(masked) }) };
  return refs.size === 0 ? nodes : nodes.map(masked);
}

/** The contents of a frame's password fields; empty if the frame is gone or does not answer. */
async function passwordsIn(frame: Frame): Promise<readonly string[]> {
  const valuesOf = (fields: readonly unknown[]) => {
    const values: string[] = [];
    for (const field of fields) values.push(String((field as { readonly value?: unknown }).value));
    return values;
  };
  const asked = frame.locator('input[type=password]').evaluateAll(valuesOf);
  const values = await inTime(asked, ANSWER_MS).catch(() => undefined);
  return (values ?? []).map(plain);
}

/** Normalises white space as the accessibility tree does. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

async function isPassword(page: Page, ref: string): Promise<boolean> {
  try {
    const type = (field: { readonly type?: unknown }) => String(field.type);
    const said = await page.getByRef(ref).evaluate(type, undefined, { timeout: ANSWER_MS });
    return said === 'password';
  } catch {
    return true; // removed meanwhile: it may have been a password field
  }
}
