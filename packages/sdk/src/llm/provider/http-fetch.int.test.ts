/** Our `fetch` and the global one against the same servers: whoever calls them sees no difference. */
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { httpFetch } from './http-fetch.ts';

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const POST = {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'X-Key': 'a' },
  body: '{"ü":1}',
};

for (const [name, fetchOne] of Object.entries({ 'our fetch': httpFetch, 'the global fetch': fetch })) {
  test(`${name} sends a body of text or bytes and reads the answer`, async (t) => {
    const url = await serve(t, async (request, response) => {
      const { method, headers } = request;
      const body = await text(request);
      const said = { method, body, key: headers['x-key'], length: headers['content-length'] };
      response.writeHead(418, 'I am a teapot', { 'X-Kind': ['tea', 'pot'] }).end(JSON.stringify(said));
    });
    for (const body of [POST.body, Buffer.from(POST.body)]) {
      const response = await fetchOne(`${url}/a?b=c`, { ...POST, body });
      assert.deepEqual([response.status, response.ok, response.statusText], [418, false, 'I am a teapot']);
      assert.equal(response.headers.get('x-KIND'), 'tea, pot');
      assert.equal(Object.fromEntries([...response.headers])['x-kind'], 'tea, pot');
      assert.deepEqual(await response.json(), { method: 'POST', body: POST.body, key: 'a', length: '8' });
    }
  });

  test(`${name} hands on the parts of a stream as they come`, async (t) => {
    const next = Promise.withResolvers<void>();
    const url = await serve(t, async (_, response) => {
      response.write('ä'.repeat(3));
      await next.promise;
      response.end('end');
    });
    const { body } = await fetchOne(url, POST);
    const parts: string[] = [];
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      parts.push(part);
      next.resolve();
    }
    assert.deepEqual(parts, ['äää', 'end']);
    const reader = (await fetchOne(url, POST)).body?.getReader();
    assert.equal(
      Buffer.from((await reader?.read())?.value ?? '')
        .toString()
        .slice(0, 3),
      'äää',
    );
    await reader?.cancel();
  });

  test(`${name} reads an answer that is compressed, and follows redirects`, async (t) => {
    const url = await serve(t, (request, response) => {
      if (request.url === '/moved') response.writeHead(307, { location: '/' }).end();
      else response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(`${request.method} text`));
    });
    assert.equal(await (await fetchOne(url, POST)).text(), 'POST text');
    assert.equal(await (await fetchOne(`${url}/moved`, POST)).text(), 'POST text');
  });

  test(`${name} is ended by its signal: before the request, before the answer and within it`, async (t) => {
    const heard = Promise.withResolvers<void>();
    const url = await serve(t, (request, response) => {
      if (request.url === '/half') response.writeHead(200).write('half');
      else heard.resolve();
    });
    const reason = new Error('enough');
    await assert.rejects(fetchOne(url, { ...POST, signal: AbortSignal.abort(reason) }), reason);
    const early = new AbortController();
    const silent = fetchOne(url, { ...POST, signal: early.signal });
    await heard.promise;
    early.abort(reason);
    await assert.rejects(silent, reason);
    const late = new AbortController();
    const half = await fetchOne(`${url}/half`, { ...POST, signal: late.signal });
    const rest = half.text();
    late.abort(reason);
    await assert.rejects(rest, reason);
  });

  test(`${name} says that nobody listens, and that an answer broke off`, async (t) => {
    const url = await serve(t, (_, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half');
      setImmediate(() => response.destroy());
    });
    const refused = { name: 'TypeError', message: 'fetch failed' };
    await assert.rejects(fetchOne('http://127.0.0.1:9/', POST), (error: Error) => {
      assert.deepEqual({ name: error.name, message: error.message }, refused);
      return /ECONNREFUSED|bad port/.test(String(error.cause) + (error.cause as { code?: string }).code);
    });
    await assert.rejects(
      fetchOne(url, POST).then((response) => response.text()),
      { name: 'TypeError', message: 'terminated' },
    );
  });
}

test('a request meets a kept connection that the server is just closing: it is sent again on another', async (t) => {
  let requests = 0;
  const url = await serve(t, (request, response) => {
    requests += 1;
    if (requests === 2) request.socket.resetAndDestroy();
    else response.end(`answer ${requests}`);
  });
  assert.equal(await (await httpFetch(url, POST)).text(), 'answer 1');
  assert.equal(await (await httpFetch(url, POST)).text(), 'answer 3');
});
