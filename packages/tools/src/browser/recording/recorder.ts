/**
 * What runs in a page while it is recorded. It makes events in the format of rrweb 2 (`eventWithTime`), so that rrweb's player
 * shows them: the page as a whole at first and whenever it has changed (not each change alone), and between that clicks,
 * input and scrolling. Passwords are told as asterisks, scripts and frames' contents not at all.
 */

/** The part of a page's own types that is used here. */
interface PageNode {
  readonly nodeType: number;
  readonly childNodes: Iterable<PageNode>;
  readonly textContent: string | null;
  readonly nodeName: string;
  readonly publicId: string;
  readonly systemId: string;
  readonly namespaceURI: string | null;
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  readonly sheet?: { readonly cssRules: Iterable<{ readonly cssText: string }> } | null;
  readonly shadowRoot?: PageNode | null;
  readonly type?: string;
  readonly value?: unknown;
  readonly checked?: boolean;
  readonly scrollLeft: number;
  readonly scrollTop: number;
}

interface PageEvent {
  readonly target: PageNode;
  readonly clientX: number;
  readonly clientY: number;
}

interface PageWindow {
  readonly top: unknown;
  readonly document: PageNode & { readonly readyState: string; readonly documentElement: PageNode | null };
  readonly location: { readonly href: string };
  readonly innerWidth: number;
  readonly innerHeight: number;
  readonly scrollX: number;
  readonly scrollY: number;
  readonly MutationObserver: new (
    listener: () => void,
  ) => { observe(node: PageNode, options: object): void; disconnect(): void };
  addEventListener(kind: string, listener: (event: PageEvent) => void, capture: boolean): void;
  removeEventListener(kind: string, listener: (event: PageEvent) => void, capture: boolean): void;
  /** Stops it; there while it runs. */
  longhandStopRecording?: () => void;
  longhandRecord?: (event: string) => Promise<void>;
}

/** Runs in the page, alone: it may use nothing from outside itself. */
export function recordPage(): void {
  const page = globalThis as unknown as PageWindow;
  if (page.top !== globalThis || page.longhandStopRecording !== undefined) return;
  const QUIET_MS = 300;
  const ids = new WeakMap<PageNode, number>();
  let count = 0;
  let last = '';
  let due: ReturnType<typeof setTimeout> | undefined;

  const idOf = (node: PageNode): number => {
    const known = ids.get(node);
    if (known !== undefined) return known;
    count += 1;
    ids.set(node, count);
    return count;
  };
  const emit = (type: number, data: object) => {
    // After the recording was stopped there is nobody to tell.
    page.longhandRecord?.(JSON.stringify({ type, data, timestamp: Date.now() }))?.catch(() => undefined);
  };
  const shown = (node: PageNode): string =>
    node.type === 'password' ? '*'.repeat(String(node.value).length) : String(node.value ?? '');
  const styleOf = (node: PageNode): string | null => {
    try {
      return Array.from(node.sheet?.cssRules ?? [], (rule) => rule.cssText).join('\n');
    } catch {
      return null; // a style sheet of another origin cannot be read
    }
  };
  const attributesOf = (node: PageNode, tag: string) => {
    const all: { [name: string]: unknown } = {};
    for (const { name, value } of node.attributes) if (!name.startsWith('on')) all[name] = value;
    if (tag === 'link' && node.sheet) {
      const css = styleOf(node);
      if (css) return { _cssText: css };
    }
    if (/^(input|textarea|select)$/.test(tag) && node.type !== 'file') {
      all['value'] = shown(node);
      if (node.checked === true) all['checked'] = true;
    }
    return all;
  };
  const childrenOf = (node: PageNode) => {
    const children = [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes];
    return children.map(serialized).filter((child) => child !== null);
  };
  const serialized = (node: PageNode): object | null => {
    const id = idOf(node);
    if (node.nodeType === 9) return { type: 0, childNodes: childrenOf(node), id };
    if (node.nodeType === 10) {
      return { type: 1, name: node.nodeName, publicId: node.publicId, systemId: node.systemId, id };
    }
    if (node.nodeType === 3) return { type: 3, textContent: node.textContent ?? '', id };
    if (node.nodeType !== 1) return null;
    const tag = node.nodeName.toLowerCase();
    if (tag === 'script') return { type: 2, tagName: 'noscript', attributes: {}, childNodes: [], id };
    const isSvg = node.namespaceURI === 'http://www.w3.org/2000/svg';
    return {
      type: 2,
      tagName: tag,
      attributes: attributesOf(node, tag),
      childNodes: childrenOf(node),
      ...(isSvg ? { isSVG: true } : {}),
      id,
    };
  };
  const takeAll = () => {
    clearTimeout(due);
    due = undefined;
    if (page.document.documentElement === null) return;
    const node = serialized(page.document);
    const whole = JSON.stringify(node);
    if (whole === last) return;
    last = whole;
    emit(4, { href: page.location.href, width: page.innerWidth, height: page.innerHeight });
    emit(2, { node, initialOffset: { left: page.scrollX, top: page.scrollY } });
  };
  const takeSoon = () => {
    due ??= setTimeout(takeAll, QUIET_MS);
  };
  const listeners: { readonly [kind: string]: (event: PageEvent) => void } = {
    click: ({ target, clientX, clientY }) =>
      emit(3, { source: 2, type: 2, id: idOf(target), x: clientX, y: clientY }),
    input: ({ target }) =>
      emit(3, { source: 5, text: shown(target), isChecked: target.checked === true, id: idOf(target) }),
    pagehide: takeAll,
    scroll: ({ target }) => {
      const isPage = target === page.document;
      const x = isPage ? page.scrollX : target.scrollLeft;
      const y = isPage ? page.scrollY : target.scrollTop;
      emit(3, { source: 3, id: idOf(target), x, y });
    },
  };
  const observer = new page.MutationObserver(takeSoon);
  observer.observe(page.document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const [kind, listener] of Object.entries(listeners)) page.addEventListener(kind, listener, true);
  page.longhandStopRecording = () => {
    takeAll();
    observer.disconnect();
    for (const [kind, listener] of Object.entries(listeners)) page.removeEventListener(kind, listener, true);
    delete page.longhandStopRecording;
  };
  page.addEventListener('DOMContentLoaded', takeAll, true);
  if (page.document.readyState !== 'loading') takeAll();
}

/** Runs in the page. */
export function stopRecordingPage(): void {
  (globalThis as unknown as PageWindow).longhandStopRecording?.();
}
