import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The binding that hands an event to us, and the function that stops recording; both are there while a page is recorded. */
export const BINDING = 'longhandRecord';
const STOP = 'longhandStopRecording';

/**
 * A script that records the page it runs in with rrweb's recorder: events in rrweb's format (`eventWithTime`) go to the
 * binding as JSON. It does nothing in a frame, which the page's recorder covers, or where it runs already. Passwords are
 * recorded as asterisks, scripts not at all.
 */
export function recordScript(): string {
  return `(() => {
  if (window.top !== window || window.${STOP} !== undefined) return;
  // With a module of its own, the recorder leaves no name in the page and does not meet a loader that the page has.
  const module = { exports: {} };
  const exports = module.exports;
  ${recorder()}
  window.${STOP} = module.exports.record({
    emit: (event) => window.${BINDING}?.(JSON.stringify(event))?.catch(() => undefined),
    recordAfter: 'DOMContentLoaded',
    maskInputOptions: { password: true },
  });
})()`;
}

/** Stops what `recordScript` started. */
export const STOP_SCRIPT = `window.${STOP}?.(); delete window.${STOP};`;

/** rrweb's recorder as a script. A build has it beside the code (scripts/assets.ts), a clone has it in node_modules. */
function recorder(): string {
  const beside = join(import.meta.dirname, 'rrweb-record.cjs');
  if (existsSync(beside)) return readFileSync(beside, 'utf8');
  const folder = dirname(fileURLToPath(import.meta.resolve('@rrweb/record')));
  return readFileSync(join(folder, 'record.umd.min.cjs'), 'utf8');
}
