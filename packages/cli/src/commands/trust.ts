import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OF_PROJECT, serversIn } from '../config/mcp-files.ts';
import { distrust, trust as trustFile } from '../config/trusted-files.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Asked, defineCommand, noWords } from '../flags/command.ts';
import { onFlag } from '../flags/flag.ts';
import { DIRECTORY, LOG_LEVEL } from '../flags/shared-flags.ts';
import { workingDirectory } from '../stored/directory.ts';
import { UsageError } from '../usage-error.ts';
import { sanitizeLine } from '../view/sanitize.ts';

const FLAGS = {
  output: { logLevel: LOG_LEVEL },
  place: { directory: DIRECTORY },
  trust: {
    revoke: onFlag({ name: 'revoke', help: 'take it back' }),
  },
};

/** `longhand trust`: agrees that the MCP servers of a folder are started. */
export const trust = defineCommand({
  name: 'trust',
  about: `longhand trust: agrees that runs in this folder start the MCP servers of its ${OF_PROJECT}, and prints them. They are
programs that somebody else chose. It holds for the file as it is now: when the file changes, agree again.`,
  flags: FLAGS,
  words: noWords,
  run: agree,
});

async function agree({ place, trust: { revoke } }: Asked<typeof FLAGS, undefined>): Promise<ExitCode> {
  const path = join(workingDirectory(place.directory ?? '.', 'choose one with -d'), OF_PROJECT);
  if (revoke === true) {
    process.stdout.write(distrust(path) ? `${path} is no longer trusted\n` : `${path} was not trusted\n`);
    return EXIT.ok;
  }
  if (!existsSync(path)) throw new UsageError(`there is no ${path}`);
  const servers = await serversIn(path);
  trustFile(path, readFileSync(path, 'utf8'));
  for (const [name, { command, args = [], url }] of Object.entries(servers))
    process.stdout.write(
      `${sanitizeLine(`${name}: ${command === undefined ? url : [command, ...args].join(' ')}`)}\n`,
    );
  process.stdout.write(`runs in this folder start the MCP servers of ${path}\n`);
  return EXIT.ok;
}
