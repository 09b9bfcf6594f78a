import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type ToolResult, type TriedTools, tryTools } from '@longhand/sdk/testing';
import { type Page, type Site, serve, browserTest as test } from '../../../test-support/test-site.ts';
import { browserToolSet } from './tool-set.ts';

const PARAGRAPHS = Array.from(
  { length: 900 },
  (_, i) => `<p>Paragraph ${i} of a long text about nothing.</p>`,
);

const PAGES = {
  '/': `<title>Start</title><h1>Start here</h1><p>Some <b>bold</b> text, <a href="/two">to the second</a>.</p>
<table><tr><th>Name</th><th>Age</th></tr><tr><td>Ann</td><td>7</td></tr></table><p style="display:none">unseen</p>
<ul><li>one</li><li>two</li></ul><pre><code>a &lt; b</code></pre><script>var x = 'code'</script>
<a-box></a-box><iframe src="/inner"></iframe>
<script>customElements.define('a-box',class extends HTMLElement{connectedCallback(){this.attachShadow({mode:'open'}).innerHTML='<p>in the shadow</p>'}})</script>`,
  '/inner': '<p>in the frame</p>',
  '/two': '<title>Second</title><h1>Second</h1>',
  '/form':
    '<title>Form</title><input aria-label="Name" value="old"><input type=checkbox aria-label=Gift checked><button disabled>No</button><button onclick="document.title=document.querySelector(\'input\').value">Take</button>',
  '/secret': '<title>Secret</title><input type=password aria-label=Password>',
  '/long': `<title>Long</title>${PARAGRAPHS.join('')}`,
  '/empty': '<title>Empty</title>',
  '/loader': `<script>let calls = 0; window.define = () => { calls += 1; }; define.amd = true;
addEventListener('load', () => setTimeout(() => {
  document.title = 'module,exports,rrwebRecord: ' + [...new Set([typeof module, typeof exports, typeof rrwebRecord])] + '; define: ' + calls;
}))</script>`,
  '/rrweb.js': (_, response) => {
    const folder = dirname(fileURLToPath(import.meta.resolve('rrweb')));
    response.end(readFileSync(join(folder, 'rrweb.umd.min.cjs')));
  },
  '/recorded.js': (_, response) => response.end(`const events = ${recorded};`),
  '/player': `<title>Player</title><body><script src="/rrweb.js"></script><script src="/recorded.js"></script><script>
addEventListener('load', () => { // its frame never ends loading, so before this the page would not either
  const player = new rrweb.Replayer(events);
  player.pause(events.at(-1).timestamp - events[0].timestamp + 1);
  document.title = 'The recording ends with "' + player.iframe.contentDocument.querySelector('input')?.value + '"';
});
</script>`,
  '/many': `<title>Many</title>${'<p>a &lt; <b>b</b></p>'.repeat(20_000)}`,
} satisfies { readonly [path: string]: Page };

let site: Site;
let recorded = '';
let folder: string;
let tried: TriedTools;
before(async () => {
  site = await serve(PAGES);
  folder = mkdtempSync(join(tmpdir(), 'longhand-browser-test-'));
  tried = await tryTools(browserToolSet, { folder, directory: join(folder, 'kept') });
});
after(async () => {
  await tried.close();
  await site.close();
  rmSync(folder, { recursive: true });
});

const call = (name: string, args: object = {}): Promise<ToolResult> =>
  tried.call(args, { tool: `browser_${name}` });
const open = (path: string, more: object = {}) => call('navigate', { url: `${site.url}${path}`, ...more });

interface State {
  readonly url: string;
  readonly title: string;
  readonly tabs: readonly { readonly tab_id: string; readonly title: string; readonly is_current: boolean }[];
  readonly interactive_elements: readonly { readonly index: number; readonly text: string }[];
}

async function state(): Promise<State> {
  return JSON.parse((await call('get_state')).said) as State;
}

async function indexOf(label: string): Promise<number> {
  const found = (await state()).interactive_elements.find(({ text }) => text === label);
  assert.ok(found !== undefined, `no element "${label}"`);
  return found.index;
}

test('fourteen tools under the names and kinds of the reference', () => {
  const names = tried.tools.map(({ name }) => name.replace('browser_', ''));
  assert.equal(
    names.join(' '),
    'navigate click type get_state get_content scroll go_back list_tabs switch_tab close_tab get_storage set_storage start_recording stop_recording',
  );
  assert.deepEqual(tried.tools[3]?.kind, {
    tool: 'BrowserGetStateTool',
    action: 'BrowserGetStateAction',
    observation: 'BrowserObservation',
  });
});

test('navigate, state as JSON, numbers, click, go back', async () => {
  const opened = await open('/form');
  assert.equal(opened.observation?.kind, 'BrowserObservation');
  assert.match(opened.said, /Opened\. The page is http.*\/form \("Form"\) in tab [0-9a-f]{4}/);
  const { interactive_elements: elements, ...rest } = await state();
  assert.deepEqual(elements, [
    { index: 0, role: 'textbox', text: 'Name', value: 'old' },
    { index: 1, role: 'checkbox', text: 'Gift', checked: true },
    { index: 2, role: 'button', text: 'No', disabled: true },
    { index: 3, role: 'button', text: 'Take' },
  ]);
  assert.equal(rest.title, 'Form');
  assert.equal((await call('type', { index: 0, text: 'new words' })).isError, false);
  const clicked = await call('click', { index: 3 });
  assert.match(clicked.said, /Clicked button "Take"\. The page is .* \("new words"\)/);
  await open('/');
  assert.match((await call('go_back')).said, /\/form/);
});

test('invalid element numbers are reported: none yet, too high, removed, negative', async () => {
  await open('/form', { new_tab: true });
  assert.match((await call('click', { index: 0 })).said, /call browser_get_state first/);
  await state();
  assert.match(
    (await call('click', { index: 4 })).said,
    /There is no element 4: the most recent state has 4/,
  );
  assert.match((await call('click', { index: -1 })).said, /index/);
  await open('/two');
  assert.match((await call('type', { index: 0, text: 'x' })).said, /STALE_REF/);
});

test('a screenshot is returned as data, as a file named after its hash, and to a model with vision', async () => {
  await open('/two');
  const result = await call('get_state', { include_screenshot: true });
  const data = String(result.observation?.['screenshot_data']);
  const path = /\[Screenshot: (.*)\]/.exec(result.said)?.[1] ?? '';
  assert.match(basename(path), /^browser_screenshot_[0-9a-f]{8}\.png$/);
  assert.equal(result.observation?.['full_output_save_dir'], join(folder, 'kept/observations'));
  assert.equal(readFileSync(path).toString('base64'), data);
  assert.deepEqual(result.content.at(-1), {
    cache_prompt: false,
    type: 'image',
    image_urls: [`data:image/png;base64,${data}`],
  });
});

test('content as Markdown: shadow trees, frames, tables; invisible text is omitted', async () => {
  await open('/');
  const { said } = await call('get_content');
  assert.match(said, /# Start here\n\nSome \*\*bold\*\* text, to the second\./);
  assert.match(said, /\| Name \| Age \|\n\| --- \| --- \|\n\| Ann \| 7 \|/);
  assert.match(said, /- {3}one\n- {3}two/);
  assert.match(said, /```\na < b\n```/);
  assert.match(said, /in the shadow/);
  assert.match(said, /In a frame \(http.*\/inner\) ---\n\nin the frame/);
  assert.doesNotMatch(said, /unseen|var x/);
  const linked = await call('get_content', { extract_links: true });
  assert.ok(linked.said.includes(`[to the second](${site.url}/two)`));
  await open('/empty');
  assert.match((await call('get_content')).said, /contains no text/);
  // Markup of so many elements would take half a minute.
  await open('/many');
  assert.match((await call('get_content')).said, /^.*\n\na < b\na < b\n/);
});

test('content comes in slices that end with a paragraph and join to the whole text', async () => {
  await open('/long');
  let start = 0;
  let whole = '';
  for (let i = 0; i < 5; i += 1) {
    const { said } = await call('get_content', { start_from_char: start });
    const body = said.slice(said.indexOf('\n\n') + 2);
    const [, text = '', next] =
      /^([\s\S]*)\n\n\[\d+ characters in total: continue with start_from_char=(\d+)\]$/.exec(body) ?? [
        null,
        body,
      ];
    whole += text;
    if (next === undefined) break;
    assert.ok(text.endsWith('nothing.\n\n'), JSON.stringify(text.slice(-30)));
    start = Number(next);
  }
  assert.ok(start > 0);
  assert.equal(whole.split('\n\n').length, 900);
  assert.match((await call('get_content', { start_from_char: 1_000_000 })).said, /must be smaller/);
});

test('scrolling reports the position of the window', async () => {
  await open('/long');
  const down = await call('scroll');
  const at = Number(/pixels (\d+) to/.exec(down.said)?.[1]);
  assert.ok(at > 300, down.said);
  assert.match((await call('scroll', { direction: 'up' })).said, /pixels 0 to \d+ of \d+/);
});

test('tabs: a link in a new one, list, switch, close, the last one too', async () => {
  await open('/');
  const before = (JSON.parse((await call('list_tabs')).said) as State['tabs']).length;
  const clicked = await call('click', { index: await indexOf('to the second'), new_tab: true });
  assert.match(clicked.said, /\[A new tab opened/);
  assert.match(clicked.said, /\/two/);
  const tabs = JSON.parse((await call('list_tabs')).said) as State['tabs'];
  assert.equal(tabs.length, before + 1);
  assert.equal(tabs.at(-1)?.is_current, true);
  const first = tabs.at(-2)?.tab_id ?? '';
  assert.match((await call('switch_tab', { tab_id: first })).said, /"Start"/);
  assert.match((await call('switch_tab', { tab_id: 'zzzz' })).said, /There is no tab "zzzz"\. Open tabs: /);
  for (const { tab_id } of tabs) assert.match((await call('close_tab', { tab_id })).said, /Closed tab/);
  assert.match((await call('list_tabs')).said, /about:blank/);
  assert.equal((await open('/two')).isError, false);
});

test('storage is read and written: cookies, local and session storage', async () => {
  const set = await call('set_storage', {
    storage_state: {
      cookies: [{ name: 'who', value: 'ann', url: site.url }],
      origins: [
        {
          origin: site.url,
          localStorage: [{ name: 'a', value: '1' }],
          sessionStorage: [{ name: 'b', value: '2' }],
        },
      ],
    },
  });
  assert.equal(set.isError, false, set.said);
  await open('/two', { new_tab: true });
  const { cookies, origins } = JSON.parse((await call('get_storage')).said) as {
    readonly cookies: readonly { readonly name: string; readonly value: string }[];
    readonly origins: readonly object[];
  };
  assert.deepEqual(
    cookies.map(({ name, value }) => [name, value]),
    [['who', 'ann']],
  );
  assert.deepEqual(origins, [
    {
      origin: site.url,
      localStorage: [{ name: 'a', value: '1' }],
      sessionStorage: [{ name: 'b', value: '2' }],
    },
  ]);
  const bad = await call('set_storage', { storage_state: { cookies: [{ name: 'x', value: 'y' }] } });
  assert.match(
    bad.said,
    /A cookie was rejected: .* Each cookie requires name, value, and either url or domain/,
  );
  const path = { storage_state: { origins: [{ origin: `${site.url}/two` }] } };
  assert.match((await call('set_storage', path)).said, /is not an origin/);
});

test("a recording: numbered files of rrweb events, over several pages, passwords hidden, which rrweb's player shows", async () => {
  assert.match((await call('stop_recording')).said, /No recording is running/);
  await open('/secret');
  const started = await call('start_recording');
  assert.match(started.said, /\.agent_tmp\/browser_observations\/recording-/);
  assert.match((await call('start_recording')).said, /recording is already running/);
  await call('type', { index: await indexOf('Password'), text: 'hunter2' });
  await open('/form');
  await call('type', { index: await indexOf('Name'), text: 'typed' });
  const stopped = await call('stop_recording');
  const [, count, path = ''] = /Recorded (\d+) event\(s\) in 1 file\(s\): (.*)$/m.exec(stopped.said) ?? [];
  assert.deepEqual(readdirSync(path), ['1.json']);
  recorded = readFileSync(join(path, '1.json'), 'utf8');
  const events = JSON.parse(recorded) as {
    readonly type: number;
    readonly data: { readonly href?: string };
  }[];
  assert.equal(events.length, Number(count));
  const hrefs = events.filter(({ type }) => type === 4).map(({ data }) => data.href);
  assert.ok(hrefs.includes(`${site.url}/secret`), hrefs.join()); // besides tabs of earlier tests
  assert.equal(hrefs.at(-1), `${site.url}/form`);
  assert.doesNotMatch(recorded, /hunter2/);
  assert.match(recorded, /\*{7}/);
  assert.match((await open('/player')).said, /The recording ends with \\"typed\\"/);
  assert.equal((await call('start_recording')).isError, false);
  assert.match((await call('stop_recording')).said, /Recorded \d+ event/);
});

test('a page with a module loader of its own is not disturbed by the recorder', async () => {
  await open('/loader');
  await call('start_recording');
  await open('/loader');
  await call('stop_recording');
  assert.equal((await state()).title, 'module,exports,rrwebRecord: undefined; define: 0');
});
