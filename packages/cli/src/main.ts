#!/usr/bin/env node
/** The entry point. `--version` is answered before anything is loaded. */
import { VERSION } from './version.ts';

if (process.argv.length === 3 && process.argv[2] === '--version') {
  process.stdout.write(`${VERSION}\n`);
} else {
  const { main } = await import('./dispatch.ts');
  await main(process.argv.slice(2));
}
