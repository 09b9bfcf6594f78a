import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { type ToolResult, type TriedTools, tryTools } from '@longhand/sdk/testing';
import { type Site, serve, browserTest as test } from '../../../test-support/test-site.ts';
import { browserTool } from './tool.ts';

const FORM = `<title>A form</title><h1>Order</h1>
<form action="/sent"><label>Name <input name="name" placeholder="Your name"></label>
<label>Colour <select name="colour"><option value="r">Red</option><option value="g">Green</option></select></label>
<label>Sizes <select name="sizes" multiple><option>S</option><option>M</option><option>L</option></select></label>
<label><input type="checkbox" name="gift"> A gift</label>
<div contenteditable role="textbox" aria-label="Note" id="note"></div>
<input type="hidden" name="note"><button onclick="this.form.note.value=document.getElementById('note').innerText">Send</button></form>
<button disabled>Not yet</button><input readonly aria-label="Fixed" value="as it is">
<p id="log"></p><button id="pad" onclick="say(event)" ondblclick="say(event)" oncontextmenu="say(event);return false" onmouseenter="say(event)">Pad</button>
<input aria-label="Keys" onkeydown="say(event)" onfocus="say(event)">
<script>
function say(e){ log.textContent += ' ' + e.type + (e.ctrlKey?'+ctrl':'') + (e.shiftKey?'+shift':'') + (e.key?':'+e.key:'') }
</script>`;

const PAGES = {
  '/': '<title>Start</title><h1>Start</h1><a href="/form">To the form</a><a href="/new" target="_blank">New</a>',
  '/form': FORM,
  '/new': '<title>New</title><h1>In a new tab</h1>',
  '/long':
    '<title>Long</title><div style="height:5000px;width:4000px">tall</div><script>addEventListener("scroll",()=>document.title=`at ${scrollX},${scrollY}`)</script>',
  '/frames':
    '<title>Frames</title><button>Outer</button><iframe src="/inner" width=300 height=200></iframe><open-box></open-box><closed-box></closed-box><script>for(const [n,mode] of [["open-box","open"],["closed-box","closed"]])customElements.define(n,class extends HTMLElement{connectedCallback(){const r=this.attachShadow({mode});r.innerHTML=`<button>${mode} shadow</button>`;r.firstChild.onclick=()=>document.title=mode+" clicked"}})</script>',
  '/inner':
    '<button onclick="document.body.append(\' pressed\')">Inner</button><iframe srcdoc="<input aria-label=Deep>"></iframe>',
  '/app':
    '<title>App</title><nav><a href="/app/two" onclick="go(event)">Two</a></nav><main>One</main><script>function go(e){e.preventDefault();history.pushState({},"",e.target.href);show()}function show(){fetch("/data").then(r=>r.text()).then(t=>document.querySelector("main").textContent=location.pathname+" "+t)}onpopstate=()=>document.querySelector("main").textContent="One again"</script>',
  '/data': (_: unknown, response: import('node:http').ServerResponse) =>
    void setTimeout(() => response.end('fetched'), 300),
  '/drag':
    '<title>Drag</title><div draggable=true role=button aria-label=Parcel ondragstart="event.dataTransfer.setData(\'text\',\'parcel\')">P</div><div role=button aria-label=Box style="height:80px" ondragover="event.preventDefault()" ondrop="event.preventDefault();this.textContent=\'holds \'+event.dataTransfer.getData(\'text\')">empty</div>',
  '/upload':
    '<title>Upload</title><input type=file multiple aria-label=Files onchange="show(this)"><button onclick="hidden1.click()">Choose</button><input id=hidden1 type=file hidden onchange="show(this)"><p></p><script>async function show(i){const all=await Promise.all([...i.files].map(async f=>f.name+"="+await f.text()+"("+f.type+")"));document.querySelector("p").textContent="got "+(all.join(";")||"none")}</script>',
  '/download': '<title>Download</title><a href="/file">Get it</a>',
  '/file': (_: unknown, response: import('node:http').ServerResponse) =>
    void response
      .writeHead(200, { 'content-disposition': 'attachment; filename="../re port.txt"' })
      .end('content'),
  '/same':
    "<title>Same</title><button onclick=\"for(const n of [1,2]){const a=document.createElement('a');a.href='/file?'+n;a.download='same.txt';a.click()}\">Both</button>",
  '/long-name': (_: unknown, response: import('node:http').ServerResponse) =>
    void response
      .writeHead(200, { 'content-disposition': `attachment; filename="${'x'.repeat(300)}.pdf"` })
      .end('content'),
  '/login':
    '<title>Login</title><label>User <input value=ann></label><label>Also <input value=hunter3></label><label>Password <input type=password value=" hunter  2"></label><iframe srcdoc="<input type=password aria-label=Inner value=hunter3>"></iframe>',
  '/kinds':
    '<title>Kinds</title><input type=date aria-label=Day><input type=checkbox aria-label=Box><select aria-label=List><option>a</select><input type=number aria-label=Count>',
  '/lines':
    '<title>Lines</title><textarea aria-label=Text>old</textarea><div contenteditable role=textbox aria-label=Rich></div><p></p><script>addEventListener("input",(e)=>document.querySelector("p").append(` ${e.target.ariaLabel}=${JSON.stringify(e.target.value??e.target.innerText)}`))</script>',
  '/closed': (_: unknown, response: import('node:http').ServerResponse) =>
    void response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end(),
  '/dialogs':
    '<title>Dialogs</title><button onclick="alert(\'careful\')">Alert</button><button onclick="document.title=String(confirm(\'sure?\'))">Confirm</button><button onclick="document.title=String(prompt(\'name?\'))">Prompt</button>',
  '/covered':
    '<title>Covered</title><button>Below</button><div style="position:fixed;inset:0;background:#fffb" id="banner">Cookies!</div>',
  '/gone':
    '<title>Gone</title><button onclick="this.remove()">Once</button><button style="display:none">x</button>',
  '/sent': (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end(
      `<title>Sent</title><p>${decodeURIComponent((request.url ?? '').replaceAll('+', ' '))
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')}</p>`,
    ),
  '/error': (_: unknown, response: import('node:http').ServerResponse) =>
    void response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Oops</h1>'),
  '/hangup': (request: import('node:http').IncomingMessage) => void request.socket.destroy(),
  '/slow': (_: unknown, response: import('node:http').ServerResponse) =>
    void response
      .writeHead(200, { 'content-type': 'text/html' })
      .write('<title>Slow</title><p>First part</p><img src="/never">'),
  '/never': () => onNever(),
};

/** Called when the page that is never answered is asked for. */
let onNever = (): void => undefined;

let site: Site;
let folder: string;
let tried: TriedTools;
before(async () => {
  site = await serve(PAGES);
  folder = mkdtempSync(join(tmpdir(), 'longhand-browser-test-'));
  tried = await tryTools(browserTool, {
    folder,
    directory: join(folder, 'kept'),
    vision: false, // marks cost time, and one test looks at them
    params: { navigation_timeout_seconds: 3, element_timeout_seconds: 1.5 },
  });
});
after(async () => {
  await tried.close();
  await site.close();
  rmSync(folder, { recursive: true });
});

const run = (code: string): Promise<ToolResult> => tried.call({ code: code.replaceAll('SITE', site.url) });

/** Opens a page; then calls with `bid` of what a line of its tree shows. */
async function open(path: string): Promise<{ result: ToolResult; bid: (line: string) => string }> {
  const result = await run(`goto("SITE${path}")`);
  assert.equal(result.isError, false, result.said);
  return { result, bid: (line) => bidOf(result, line) };
}

function bidOf({ said }: ToolResult, line: string): string {
  const found = said.split('\n').find((each) => each.includes(line));
  const ref = /\[(\w+)\]/.exec(found ?? '')?.[1];
  assert.ok(ref !== undefined, `no bid of ${line} in\n${said}`);
  return ref;
}

test('goto returns the observation of V0: its tree, and the picture in a file', async () => {
  const { result } = await open('/form');
  const { observation } = result;
  assert.equal(observation?.kind, 'BrowserOutputObservation');
  assert.equal(observation['url'], `${site.url}/form`);
  assert.deepEqual(observation['open_pages_urls'], [`${site.url}/form`]);
  assert.equal(observation['active_page_index'], 0);
  assert.equal(observation['last_browser_action'], `goto("${site.url}/form")`);
  assert.equal(observation['last_browser_action_error'], '');
  assert.match(result.said, /RootWebArea 'A form', url='http/);
  assert.match(result.said, /\[e\d+\] textbox 'Name', clickable, placeholder='Your name'/);
  assert.match(result.said, /\[e\d+\] button 'Not yet', clickable, disabled/);
  const path = String(observation['screenshot_path']);
  assert.ok(path.startsWith(join(folder, '.browser_screenshots')));
  const picture = readFileSync(path);
  assert.equal(picture.subarray(1, 4).toString(), 'PNG');
  assert.deepEqual([observation['set_of_marks'], result.content.length], ['', 1]);
});

test('a model with vision gets the picture with marks', async () => {
  const seeing = await tryTools(browserTool, { folder });
  try {
    const { content, observation } = await seeing.call({ code: `goto("${site.url}/form")` });
    const picture = readFileSync(String(observation?.['screenshot_path']));
    const [image] = content.filter((each) => each.type === 'image');
    assert.match(image?.image_urls[0] ?? '', /^data:image\/png;base64,iVBOR/);
    assert.equal(image?.image_urls[0], observation?.['set_of_marks']);
    assert.notEqual(image?.image_urls[0], `data:image/png;base64,${picture.toString('base64')}`);
  } finally {
    await seeing.close();
  }
});

test('fill, select_option, click on a box and on a button send a form', async () => {
  const { bid } = await open('/form');
  const result = await run(`fill("${bid("textbox 'Name'")}", 'O\\'Hara "x"')
fill("${bid("textbox 'Note'")}", "written")
select_option("${bid("combobox 'Colour'")}", "Green")
select_option(bid="${bid("listbox 'Sizes'")}", options=["S", "L"])
click("${bid("checkbox 'A gift'")}")
click("${bid("button 'Send'")}")`);
  assert.equal(result.isError, false, result.said);
  assert.match(result.said, /name=O\\'Hara "x"&colour=g&sizes=S&sizes=L&gift=on&note=written/);
});

test('filling in several lines fires one input event, with the final value', async () => {
  const { bid } = await open('/lines');
  await run(`fill("${bid("textbox 'Text'")}", "one\\ntwo\\nthree")
fill("${bid("textbox 'Rich'")}", "four\\nfive")`);
  const { said } = await run(`fill("${bid("textbox 'Text'")}", "six\\nseven")`);
  const events = ['Text="one\\ntwo\\nthree"', 'Rich="four\\nfive"', 'Text="six\\nseven"'];
  assert.ok(said.includes(events.join(' ').replaceAll('\\', '\\\\')), said);
});

test('clear, focus, press', async () => {
  const { bid } = await open('/form');
  const name = bid("textbox 'Name'");
  const filled = await run(`fill("${name}", "abc")`);
  assert.match(filled.said, new RegExp(`\\[${name}\\] textbox 'Name' value='abc'`));
  const cleared = await run(`clear("${name}")`);
  assert.doesNotMatch(cleared.said, /value='abc'/);
  const keys = bid("textbox 'Keys'");
  const focused = await run(`focus("${keys}")`);
  assert.equal(focused.observation?.['focused_element_bid'], keys);
  const pressed = await run(`press("${keys}", "Shift+A")\npress("${keys}", "Control+b")`);
  assert.match(pressed.said, /keydown\+shift:A keydown\+ctrl:Control keydown\+ctrl:b/);
  assert.match(pressed.said, new RegExp(`\\[${keys}\\] textbox 'Keys' value='A'`));
});

test('hover, click with a modifier, right click, dblclick', async () => {
  const { bid } = await open('/form');
  const pad = bid("button 'Pad'");
  const result = await run(
    `hover("${pad}"); click("${pad}", modifiers=["Shift"]); click("${pad}", "right"); dblclick("${pad}", button="left")`,
  );
  assert.match(result.said, /mouseenter click\+shift contextmenu click click dblclick/);
});

test('go_back, go_forward, noop; the ends of the history are errors', async () => {
  await open('/');
  await open('/form');
  assert.match((await run('go_back()')).said, /RootWebArea 'Start'/);
  assert.match((await run('go_forward()\nnoop(10)')).said, /RootWebArea 'A form'/);
  const end = await run('go_forward()');
  assert.equal(end.isError, true);
  assert.match(end.said, /There is no page to go forward to/);
  assert.match(end.said, /RootWebArea 'A form'/);
});

test('scroll by pixels, down, right and back', async () => {
  await open('/long');
  assert.match((await run('scroll(0, 700)')).said, /RootWebArea 'at 0,700'/);
  assert.match(
    (await run('scroll(300, 0)\nscroll(delta_x=0, delta_y=-200.0)')).said,
    /RootWebArea 'at 300,500'/,
  );
});

test('drag_and_drop', async () => {
  const { bid } = await open('/drag');
  const result = await run(`drag_and_drop("${bid('Parcel')}", "${bid('Box')}")`);
  assert.match(result.said, /holds parcel/);
});

test('upload_file: one file, several, none, a button that opens a chooser; a missing file is an error', async () => {
  writeFileSync(join(folder, 'a.txt'), 'AA');
  writeFileSync(join(folder, 'b.csv'), 'BB');
  const { bid } = await open('/upload');
  const field = bid("button 'Files'");
  const several = await run(`upload_file("${field}", ["a.txt", "${join(folder, 'b.csv')}"])`);
  assert.match(several.said, /got a\.txt=AA\(text\/plain\);b\.csv=BB\(text\/csv\)/);
  assert.match((await run(`upload_file("${field}", [])`)).said, /got none/);
  assert.match((await run(`upload_file("${bid("button 'Choose'")}", "a.txt")`)).said, /got a\.txt=AA/);
  const missing = await run(`upload_file("${field}", "c.txt")`);
  assert.equal(missing.isError, true);
  assert.match(missing.said, /The file .*c\.txt does not exist/);
});

test('a download is reported and stored in the workspace, whatever name the page gave it', async () => {
  const { bid } = await open('/download');
  const link = bid("link 'Get it'");
  const first = await run(`click("${link}")`);
  const path = /A file was downloaded: (.*) \(7 bytes\)/.exec(first.said)?.[1] ?? '';
  assert.ok(path.startsWith(join(folder, '.browser_downloads/')), first.said);
  assert.equal(readFileSync(path, 'utf8'), 'content');
  const second = await run('goto("SITE/file")');
  assert.equal(second.isError, false);
  assert.match(second.said, /A file was downloaded/);
  const names = readdirSync(join(folder, '.browser_downloads')).filter((name) => name.endsWith('.txt'));
  assert.equal(names.length, 2, names.join());
  assert.ok(!existsSync(join(folder, 're port.txt')));
});

test('simultaneous downloads of one name are two files; a name that is too long is shortened', async () => {
  const kept = join(folder, '.browser_downloads');
  const before = existsSync(kept) ? readdirSync(kept) : [];
  const { bid } = await open('/same');
  const both = await run(`click("${bid("button 'Both'")}")\nnoop(300)`);
  assert.equal(both.said.split('A file was downloaded').length, 3, both.said);
  const long = await run('goto("SITE/long-name")');
  assert.match(long.said, /A file was downloaded: .*\/x{200}\.pdf \(7 bytes\)/);
  const names = readdirSync(kept).filter((name) => !before.includes(name) && name !== '.gitignore');
  assert.equal(names.length, 3, names.join());
  assert.ok(
    names.every((name) => /\.(txt|pdf)$/.test(name)),
    names.join(),
  );
});

test('the content of password fields is not shown, nor in frames', async () => {
  const { result } = await open('/login');
  assert.match(result.said, /textbox 'User' value='ann'/);
  assert.match(result.said, /textbox 'Also' value='hunter3'/);
  assert.match(result.said, /textbox 'Password' value='•+'/);
  assert.match(result.said, /textbox 'Inner' value='•{7}'/);
  assert.doesNotMatch(JSON.stringify(result.observation), /hunter +2/);
});

test('a wrong use of an element is answered with the right one', async () => {
  const { bid } = await open('/kinds');
  const [day, box, list, count] = ["'Day'", "'Box'", "'List'", "'Count'"].map(bid);
  for (const [code, said] of [
    [`fill("${day}", "31.1.2026")`, /does not accept "31\.1\.2026"\. Write a date as 2026-01-31/],
    [`fill("${box}", "yes")`, /Click it instead/],
    [`fill("${list}", "a")`, /If it is a list of options, select one/],
    [`fill("${count}", "many")`, /accepts a number/],
    [`select_option("${count}", "1")`, /has no options of its own/],
    [`press("${count}", "Ctrl+a")`, /Unknown key: "Ctrl"\. Write keys as .*"Control\+a"/],
  ] as const) {
    const refused = await run(code);
    assert.equal(refused.isError, true, code);
    assert.match(refused.said, said);
  }
  assert.match((await run(`fill("${day}", "2026-01-31")`)).said, /'Day' value='2026-01-31'/);
});

test('frames, one in another, and shadow trees are part of the page', async () => {
  const { result, bid } = await open('/frames');
  assert.match(bid("button 'Inner'"), /^f\d+e\d+$/);
  const deep = bid("textbox 'Deep'");
  const acted = await run(`click("${bid("button 'Inner'")}")\nfill("${deep}", "down here")`);
  assert.match(acted.said, /pressed/);
  assert.match(acted.said, new RegExp(`\\[${deep}\\] textbox 'Deep' value='down here'`));
  assert.equal(acted.observation?.['focused_element_bid'], deep);
  assert.match(result.said, /button 'open shadow'/);
  assert.match((await run(`click("${bid("button 'open shadow'")}")`)).said, /RootWebArea 'open clicked'/);
});

test('a page that navigates by script and fetches data is awaited', async () => {
  const { bid } = await open('/app');
  const two = await run(`click("${bid("link 'Two'")}")`);
  assert.match(two.said, /\/app\/two fetched/);
  assert.equal(two.observation?.['url'], `${site.url}/app/two`);
  assert.match((await run('go_back()')).said, /One again/);
});

test('a link opens a tab, which is the page then', async () => {
  const { bid } = await open('/');
  const result = await run(`click("${bid("link 'New'")}")`);
  assert.match(result.said, /A new tab opened/);
  assert.match(result.said, /In a new tab/);
  assert.equal(result.observation?.['active_page_index'], 1);
  assert.deepEqual(result.observation?.['open_pages_urls'], [`${site.url}/`, `${site.url}/new`]);
});

test('dialogs are answered and reported', async () => {
  const { bid } = await open('/dialogs');
  assert.match((await run(`click("${bid("button 'Alert'")}")`)).said, /showed a message: "careful"/);
  const confirmed = await run(`click("${bid("button 'Confirm'")}")`);
  assert.match(confirmed.said, /The page asked "sure\?"; the answer was OK/);
  assert.match(confirmed.said, /RootWebArea 'true'/);
  const prompted = await run(`click("${bid("button 'Prompt'")}")`);
  assert.match(prompted.said, /asked for text \("name\?"\); the prompt was cancelled/);
  assert.match(prompted.said, /RootWebArea 'null'/);
});

test('what prevents a call is named, the calls after it are not executed, the page is shown', async () => {
  const { bid } = await open('/form');
  const disabled = await run(
    `click("${bid("button 'Not yet'")}")\nfill("${bid("textbox 'Name'")}", "never")`,
  );
  assert.equal(disabled.isError, true);
  assert.match(disabled.said, /is disabled\. Fill in or select/);
  assert.match(disabled.said, /\[Not executed: fill/);
  assert.doesNotMatch(disabled.said, /value='never'/);
  assert.match(disabled.said, /RootWebArea 'A form'/);
  assert.match((await run(`fill("${bid("textbox 'Fixed'")}", "x")`)).said, /is read-only/);
  const option = await run(`select_option("${bid("combobox 'Colour'")}", "Blue")`);
  assert.match(option.said, /has no such option\. It has: "Red", "Green"/);
  const covered = (await open('/covered')).bid("button 'Below'");
  assert.match(
    (await run(`click("${covered}")`)).said,
    /is covered by <div.*Close or accept the dialog or banner that covers it/,
  );
});

test('a stale bid is reported at once, also after a new page has loaded', async () => {
  const { bid } = await open('/gone');
  const once = bid("button 'Once'");
  await run(`click("${once}")`);
  assert.match((await run(`click("${once}")`)).said, /STALE_REF: the element .* no longer exists/);
  await open('/');
  assert.match((await run(`click("${once}")`)).said, /STALE_REF/);
  assert.match((await run('click("f9e3")')).said, /STALE_REF/);
  assert.match((await run('click("a12")')).said, /"a12" is not the name of an element/);
});

test('code with one invalid call executes nothing', async () => {
  const before = site.asked.length;
  for (const [code, said] of [
    ['goto("SITE/form"', /Line 1, column \d+: "\)" is missing at the end\. Nothing was executed/],
    ['goto("SITE/form")\nfly()', /There is no function "fly".*goto\(url\), go_back\(\)/],
    ['goto("SITE/form")\nclick()', /The arguments of click are wrong.*Signature: click\(bid, button="left"/],
    ['goto("SITE/form")\nclick("e1", "upper")', /The arguments of click are wrong.*button/],
    ['goto(url="SITE/form", speed=3)', /has no parameter "speed"/],
    ['goto(__import__("os").name)', /stands where a literal should/],
    ['no calls here', /This code contains no call/],
  ] as const) {
    const result = await run(code);
    assert.equal(result.isError, true);
    assert.match(result.said, said);
  }
  assert.equal(site.asked.length, before);
});

test('pages that fail: refused, not found, an error, connection closed, silent, not a URL', async () => {
  const closed = await serve({});
  await closed.close();
  assert.match((await run(`goto("${closed.url}")`)).said, /nothing listens there/);
  const missing = await run('goto("SITE/nowhere")');
  assert.equal(missing.isError, false);
  assert.match(missing.said, /The server answered 404 Not Found[\s\S]*heading 'Nothing'/);
  assert.match((await run('goto("SITE/error")')).said, /The server answered 500/);
  assert.match((await run('goto("SITE/hangup")')).said, /closed the connection without an answer/);
  assert.match((await run('goto("SITE/never")')).said, /did not start to answer within 3 s/);
  assert.match((await run('goto("http://")')).said, /this is not a URL/);
});

test('a page that requires a user name and a password is reported as such', async () => {
  assert.match((await run('goto("SITE/closed")')).said, /requires a user name and a password/);
});

test('a page that keeps loading is shown in its current state', async () => {
  const result = await run('goto("SITE/slow")');
  assert.equal(result.isError, false, result.said);
  assert.match(result.said, /still loading/);
  assert.match(result.said, /First part/);
});

test('an interrupt by the user takes effect at once', async () => {
  await open('/');
  const cut = new AbortController();
  onNever = () => cut.abort();
  const result = await tried.call({ code: `goto("${site.url}/never")` }, { signal: cut.signal });
  assert.match(result.said, /user interrupted this call/);
  assert.match((await run('noop(1)')).said, /RootWebArea 'Start'/);
});

test('a crashed page is closed and reported; the browser continues', async () => {
  assert.match((await run('goto("chrome://crash")')).said, /The page crashed and its tab was closed/);
  assert.match((await run('goto("SITE/")')).said, /RootWebArea 'Start'/);
});
