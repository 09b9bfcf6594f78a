import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LONGEST_TIMER_MS } from '@longhand/sdk/value';
import { isAllowed } from '../pages/domains.ts';
import { addressOf } from '../pages/visit.ts';
import { browserSettings } from './settings.ts';

test('which addresses may be visited', () => {
  const cases: readonly (readonly [string, readonly string[], boolean])[] = [
    ['https://anything.example/', [], true],
    ['https://example.com/a?b', ['example.com'], true],
    ['https://www.example.com/', ['example.com'], true],
    ['https://EXAMPLE.com/', ['Example.com'], true],
    ['https://evil.com/example.com', ['example.com'], false],
    ['https://example.com.evil.com/', ['example.com', '*.example.com'], false],
    ['https://notexample.com/', ['*.example.com'], false],
    ['https://example.com@evil.com/', ['example.com'], false],
    ['https://a.b.example.com/', ['*.example.com'], true],
    ['https://a.example.com/', ['example.com'], false],
    ['http://example.com/', ['https://example.com'], false],
    ['http://localhost:3000/', ['localhost:3000'], true],
    ['http://localhost:3001/', ['localhost:3000'], false],
    ['http://localhost:3001/', ['localhost'], true],
    ['file:///etc/passwd', ['example.com', '*.'], false],
    ['data:text/html,x', ['example.com'], false],
    ['javascript:alert(1)', ['example.com'], false],
    ['blob:https://example.com/1', ['example.com'], true],
    ['blob:https://evil.com/1', ['example.com'], false],
    ['about:blank', ['example.com'], true],
    ['no address', ['example.com'], false],
  ];
  for (const [address, allowed, isIt] of cases) assert.equal(isAllowed(address, allowed), isIt, address);
});

test('settings: defaults of the reference, a window to look at where the environment asks for one', () => {
  const { headless, allowed_domains, session_timeout_minutes, action_timeout_seconds } = browserSettings(
    {},
    {},
  );
  assert.deepEqual([headless, allowed_domains, session_timeout_minutes], [true, [], 30]);
  assert.equal(action_timeout_seconds, 300);
  for (const value of ['true', '1', 'YES']) {
    assert.equal(browserSettings({}, { OH_ENABLE_VNC: value }).headless, false);
  }
  assert.equal(browserSettings({}, { OH_ENABLE_VNC: '0' }).headless, true);
  assert.equal(browserSettings({ headless: true }, { OH_ENABLE_VNC: '1' }).headless, true);
  const long = browserSettings({ session_timeout_minutes: 1e9, action_timeout_seconds: 1e9 }, {});
  assert.equal(Math.round(long.session_timeout_minutes * 60_000), LONGEST_TIMER_MS);
  assert.equal(long.action_timeout_seconds * 1_000, LONGEST_TIMER_MS);
  assert.throws(
    () => browserSettings({ action_timeout_seconds: 0, speed: 1 }, {}),
    /^Error: browser: param action_timeout_seconds: .*; unknown param speed; available: executable_path, /,
  );
});

test('addresses as people write them', () => {
  for (const [written, address] of [
    [' example.com/a ', 'https://example.com/a'],
    ['http://example.com', 'http://example.com'],
    ['localhost:3000/x', 'http://localhost:3000/x'],
    ['127.0.0.1', 'http://127.0.0.1'],
    ['example.com:8080', 'https://example.com:8080'],
    ['/tmp/page.html', 'file:///tmp/page.html'],
    ['about:blank', 'about:blank'],
    ['data:text/html,hi', 'data:text/html,hi'],
  ] as const) {
    assert.equal(addressOf(written), address);
  }
  assert.throws(() => addressOf('  '), /address is empty/);
});
