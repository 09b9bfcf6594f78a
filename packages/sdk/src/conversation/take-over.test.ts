import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import type { Leftovers, Workspace } from '../workspace/workspace.ts';
import { takeOver } from './take-over.ts';

/** Larger than any process id. */
const DEAD = 2 ** 30;
const since = '2026-01-01T00:00:00.000Z';
const killed = { pid: DEAD, host: hostname(), since, run: 'first' };

function workspaceThatFinds(leftovers: Leftovers) {
  const calls: unknown[] = [];
  const workspace = {
    takeOver: async (...args: unknown[]) => {
      calls.push(args);
      return leftovers;
    },
  } as unknown as Workspace;
  return { workspace, calls };
}

test('a run takes over from all that were killed since one ended orderly', async () => {
  const { workspace, calls } = workspaceThatFinds({ ended: 2, isSure: true });
  const runs = [killed, { ...killed, run: 'second' }];
  assert.deepEqual(await takeOver(workspace, 'c', { run: 'now', killed: runs }), { ended: 2, isSure: true });
  assert.deepEqual(calls, [['c.now', ['c.first', 'c.second']]]);
});

test('after an orderly end there is nothing to take over, and programs are marked all the same', async () => {
  const { workspace, calls } = workspaceThatFinds({ ended: 0, isSure: true });
  assert.equal(await takeOver(workspace, 'c', { run: 'now', killed: [] }), null);
  assert.deepEqual(calls, [['c.now', []]]);
});

test('programs of a run that is alive, on another machine or without a name may still be running', async () => {
  const unsure = { ended: 0, isSure: false };
  for (const [each, marks] of [
    [{ ...killed, pid: process.pid }, []],
    [{ ...killed, host: 'elsewhere' }, ['c.first']],
    [{ pid: DEAD, host: hostname(), since }, []],
  ] as const) {
    const { workspace, calls } = workspaceThatFinds({ ended: 0, isSure: true });
    assert.deepEqual(await takeOver(workspace, 'c', { run: 'now', killed: [each] }), unsure);
    assert.deepEqual(calls, [['c.now', marks]]);
  }
  assert.deepEqual(await takeOver({} as Workspace, 'c', { run: 'now', killed: [killed] }), unsure);
  const failing = { takeOver: () => Promise.reject(new Error('no')) } as unknown as Workspace;
  assert.deepEqual(await takeOver(failing, 'c', { run: 'now', killed: [killed] }), unsure);
});
