/** The tool against a web of the loopback. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type TriedTools, tryTools } from '@longhand/sdk/testing';
import type { Limits } from './request.ts';
import { fetchTool, fetchToolWithin } from './tool.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let folder: string;
let server: Server;
let url: string;
let answer: Answer;
let asked: string[];
const tried: TriedTools[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-fetch-'));
  asked = [];
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const each of tried.splice(0)) await each.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

async function open({
  vision = true,
  ...limits
}: Partial<Limits> & { vision?: boolean } = {}): Promise<TriedTools> {
  const factory =
    Object.keys(limits).length === 0
      ? fetchTool
      : fetchToolWithin({ timeoutMs: 30_000, maxBytes: 1_000_000, ...limits });
  const opened = await tryTools(factory, { folder, vision });
  tried.push(opened);
  return opened;
}

const send =
  (type: string | undefined, body: string | Buffer, status = 200): Answer =>
  (_, response) => {
    response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body);
  };

test('nothing is requested before a call; a page is returned as Markdown with title and URL', async () => {
  answer = send('text/html; charset=utf-8', '<title>Café</title><body><h1>Menu</h1><a href="/tea">Tea</a>');
  const tool = await open();
  assert.deepEqual(asked, []);
  const { said, isError, observation } = await tool.call({ url: `${url}/menu` });
  assert.equal(said, `# Café\n${url}/menu\n\n# Menu\n\n[Tea](${url}/tea)`);
  assert.deepEqual([isError, asked], [false, ['GET /menu']]);
  const { status, content_type, title, kind } = observation!;
  assert.deepEqual([status, content_type, title, kind], [200, 'text/html', 'Café', 'FetchObservation']);
});

test('a long page is continued without a new request, and requested again from its start', async () => {
  const text = Array.from({ length: 12_000 }, (_, i) => `${i}`.padStart(5)).join('');
  answer = send('text/plain', text);
  const tool = await open();
  const parts: string[] = [];
  let next: number | undefined = 0;
  while (next !== undefined) {
    const { said } = await tool.call({ url, ...(next === 0 ? {} : { start: next }) });
    assert.match(said, /characters \d+ to \d+ of 60000/);
    parts.push(said.slice(said.indexOf('\n\n') + 2));
    const more: string | undefined = /start: (\d+) to continue/.exec(said)?.[1];
    next = more === undefined ? undefined : Number(more);
  }
  assert.equal(parts.join(''), text);
  assert.equal(asked.length, 1);
  const beyond = await tool.call({ url, start: 60_000 });
  assert.deepEqual([beyond.isError, /has 60000 characters/.test(beyond.said)], [true, true]);
  await tool.call({ url });
  assert.equal(asked.length, 2);
});

test('a part never ends inside a character', async () => {
  answer = send('text/plain', `${'x'.repeat(29_999)}😀 end`);
  const tool = await open();
  assert.match((await tool.call({ url })).said, /x$/);
  assert.match((await tool.call({ url, start: 29_999 })).said, /\n\n😀 end$/);
});

test('types: text is returned unchanged, recognised by its type or by having no byte 0', async () => {
  const tool = await open();
  for (const [type, body] of [
    ['application/json', '{"a":1}'],
    ['application/problem+json', '{"a":1}'],
    ['text/markdown', '# a <b>'],
    ['application/xml', '<a/>'],
    ['application/octet-stream', 'plain'],
    [undefined, 'plain'],
  ] as const) {
    answer = send(type, body);
    assert.equal((await tool.call({ url })).said, `${url}/\n\n${body}`, type);
  }
  answer = send(undefined, '<!DOCTYPE html><p>said nothing');
  assert.match((await tool.call({ url })).said, /\n\nsaid nothing$/);
  answer = send('text/html', '');
  assert.match((await tool.call({ url })).said, /has no text/);
});

test('types: data that cannot be shown is reported and not sent to the model', async () => {
  const tool = await open();
  for (const [type, named] of [
    ['application/pdf', 'application/pdf'],
    ['video/mp4', 'video/mp4'],
    [undefined, 'not text'],
    ['application/octet-stream', 'application/octet-stream'],
  ] as const) {
    answer = send(type, Buffer.from([1, 0, 2]));
    const { said, isError } = await tool.call({ url });
    assert.match(said, new RegExp(`is ${named} \\(3 bytes\\), which cannot be shown`));
    assert.equal(isError, true);
  }
});

test('types: an image is shown to a model with vision', async () => {
  answer = send('image/png', Buffer.from('ABC'));
  const seeing = await (await open()).call({ url });
  assert.deepEqual(seeing.content[1], {
    cache_prompt: false,
    type: 'image',
    image_urls: ['data:image/png;base64,QUJD'],
  });
  const blind = await (await open({ vision: false })).call({ url });
  assert.deepEqual([blind.isError, /cannot see images/.test(blind.said)], [true, true]);
  const large = await (await open({ maxBytes: 2 })).call({ url });
  assert.match(large.said, /too large/);
});

test('size: no more than the limit is read, compressed or not, and the model is told', async () => {
  answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const more = () => {
      if (response.destroyed) return;
      if (response.write('x'.repeat(1_000))) setImmediate(more);
      else response.once('drain', more);
    };
    more();
  };
  const tool = await open({ maxBytes: 5_000 });
  const endless = await tool.call({ url });
  assert.match(endless.said, /\(cut after 5000 bytes\)\n\nx{5000}$/);
  const packed = gzipSync(Buffer.alloc(10_000_000, 'y'));
  answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(packed);
  };
  assert.match((await tool.call({ url })).said, /\(cut after 5000 bytes\)\n\ny{5000}$/);
  answer = send('application/zip', Buffer.alloc(6_000));
  assert.match((await tool.call({ url })).said, /more than 5000 bytes/);
});

test('redirects, including relative ones, are followed, and the final URL is reported', async () => {
  answer = ({ url: path }, response) => {
    if (path === '/a') response.writeHead(302, { location: 'b' }).end();
    else if (path === '/b') response.writeHead(308, { location: `${url}/c` }).end();
    else response.writeHead(200, { 'content-type': 'text/plain' }).end('there');
  };
  assert.equal((await (await open()).call({ url: `${url}/a` })).said, `${url}/c\n\nthere`);
});

test('redirects: their number and schemes are limited, and one without a location is a response', async () => {
  const tool = await open();
  answer = (_, response) => response.writeHead(302, { location: '/again' }).end();
  assert.match((await tool.call({ url })).said, /redirected more than 10 times/);
  assert.equal(asked.length, 11);
  for (const [location, said] of [
    ['file:///etc/passwd', /redirects to it, but file: URLs cannot be fetched/],
    ['http://user:pass@example.invalid/', /a user name or a password/],
    ['http://[', /is not a URL/],
  ] as const) {
    answer = (_, response) => response.writeHead(302, { location }).end();
    const result = await tool.call({ url });
    assert.match(result.said, said);
    assert.equal(result.isError, true);
  }
  answer = (_, response) => response.writeHead(302, { 'content-type': 'text/plain' }).end('moved');
  assert.match((await tool.call({ url })).said, /\n\nmoved$/);
});

test('only http and https are fetched; other URLs cause no request', async () => {
  const tool = await open();
  for (const address of [
    'file:///etc/passwd',
    'ftp://example.invalid/',
    'data:text/plain,a',
    'javascript:1',
    'example.invalid',
    '',
    `http://a:b@${url.slice(7)}/`,
  ]) {
    const { said, isError } = await tool.call({ url: address });
    assert.match(said, /cannot be fetched|is not a URL|a user name or a password/);
    assert.equal(isError, true);
  }
  assert.deepEqual(asked, []);
});

test('an error status is an error result with the text of the server', async () => {
  answer = send('text/html', '<title>Lost</title><p>No such page', 404);
  const { said, isError, observation } = await (await open()).call({ url });
  assert.match(said, /The server answered 404 Not Found\.\n# Lost\n[\s\S]*No such page$/);
  assert.deepEqual([isError, observation?.['status']], [true, 404]);
});

test('a request that cannot connect or breaks off reports why', async () => {
  const tool = await open();
  answer = (_, response) => response.destroy();
  assert.match((await tool.call({ url })).said, /could not be fetched: \S/);
  answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' });
    response.write('half');
    setImmediate(() => response.destroy());
  };
  const half = await tool.call({ url });
  assert.deepEqual([half.isError, /could not be fetched/.test(half.said)], [true, true]);
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  assert.match((await tool.call({ url: `http://127.0.0.1:${port}/` })).said, /ECONNREFUSED/);
});

test('time: a response that does not start or does not end is abandoned', async () => {
  const tool = await open({ timeoutMs: 100 });
  answer = () => undefined;
  assert.match((await tool.call({ url })).said, /no answer within 0\.1 s/);
  answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('never the rest');
  };
  assert.match((await tool.call({ url })).said, /no answer within 0\.1 s/);
});

test('an interrupt ends the request', async () => {
  const interrupt = new AbortController();
  const gone = Promise.withResolvers<void>();
  answer = (request) => {
    request.socket.once('close', () => gone.resolve());
    interrupt.abort(new DOMException('interrupted', 'AbortError'));
  };
  const { said, isError } = await (await open()).call({ url }, { signal: interrupt.signal });
  assert.deepEqual([isError, /user interrupted this call/.test(said)], [true, true]);
  await gone.promise;
});
