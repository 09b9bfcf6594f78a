/**
 * Loaded before a test (`--import`): the file that the variable MUTANT names is loaded with one change, which is made in memory.
 * MUTANT is JSON: `{ url, start, end, replacement }`. Processes that the test starts inherit it with NODE_OPTIONS.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { apply, withoutTypes } from './source.ts';

const { url, ...mutant } = JSON.parse(process.env['MUTANT'] ?? '{}');

registerHooks({
  load: (loaded, context, next) =>
    loaded === url
      ? {
          format: 'module',
          source: apply(withoutTypes(readFileSync(new URL(loaded), 'utf8')), mutant),
          shortCircuit: true,
        }
      : next(loaded, context),
});
