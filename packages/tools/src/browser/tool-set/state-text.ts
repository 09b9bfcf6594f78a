import { defined, headOf } from '@longhand/sdk/value';
import type { Session } from '../engine/session.ts';
import { inTime } from '../in-time.ts';
import type { AriaNode } from '../observed/aria-node.ts';
import { fieldValue, labelOf, type Snapshot } from '../observed/snapshot.ts';

const LABEL = 200;
/** Properties that are shown elsewhere or that a reader has no use for. */
const NOT_TOLD = new Set(['role', 'name', 'text', 'children', 'ref', 'cursor', 'box', 'active', 'level']);

interface TabState {
  readonly tab_id: string;
  readonly url: string;
  readonly title: string;
  readonly is_current: boolean;
}

export async function tabsOf({ tabs }: Session): Promise<readonly TabState[]> {
  const current = await tabs.current();
  return await Promise.all(
    tabs.list.map(async (tab) => ({
      tab_id: tab.id,
      url: tab.page.url(),
      // A tab that does not answer is listed without a title.
      title: (await inTime(tab.page.title(), TITLE_MS).catch(() => undefined)) ?? '',
      is_current: tab === current,
    })),
  );
}

const TITLE_MS = 1_000;

/** The state of the browser as JSON, one element per line. */
export async function stateText(session: Session, snapshot: Snapshot): Promise<string> {
  const list = (items: readonly object[]) =>
    items.length === 0 ? '[]' : `[\n${items.map((each) => JSON.stringify(each)).join(',\n')}\n]`;
  const elements = snapshot.elements.map((node, index) => ({ index, ...stateOf(node) }));
  return `{"url": ${JSON.stringify(snapshot.url)},
"title": ${JSON.stringify(snapshot.title)},
"tabs": ${list(await tabsOf(session))},
"interactive_elements": ${list(elements)}}`;
}

function stateOf(node: AriaNode): object {
  const value = fieldValue(node);
  const flags = Object.entries(node).filter(([name, of]) => !NOT_TOLD.has(name) && of !== false);
  return {
    role: node.role,
    text: headOf(labelOf(node), LABEL),
    ...defined({ value, focused: node.active === true ? true : undefined }),
    ...Object.fromEntries(flags),
  };
}
