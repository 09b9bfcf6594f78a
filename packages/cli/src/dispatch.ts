import { EXIT, type ExitCode } from './exit-code.ts';
import type { Command } from './flags/commands.ts';
import { parseCommand } from './flags/parse-command.ts';
import { Interrupted } from './interrupts.ts';
import { UsageError } from './usage-error.ts';
import { VERSION } from './version.ts';

/** Runs one command line and ends the process with its exit code. The commands are loaded when one is asked for. */
export async function main(argv: readonly string[]): Promise<void> {
  let lost: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error) => {
    lost ??= error;
  });
  process.stderr.on('error', () => undefined); // there is nobody to tell
  let code: ExitCode;
  try {
    code = await execute(parseCommand(argv, process.env));
  } catch (error) {
    if (error instanceof Interrupted) code = EXIT.interrupted;
    else code = error instanceof UsageError ? EXIT.usage : await complain(error, argv);
    if (error instanceof UsageError) process.stderr.write(`longhand: ${error.message}\n`);
  }
  await written();
  process.exit(lost === undefined || isReaderGone(lost) ? code : complainOf(lost));
}

async function execute(command: Command): Promise<ExitCode> {
  switch (command.command) {
    case 'help':
      return (await import('./commands/help.ts')).help(command);
    case 'version':
      process.stdout.write(`${VERSION}\n`);
      return EXIT.ok;
    default:
      // One file for all of them: what they share would otherwise be cut into many small ones, each of which takes time.
      return await (await import('./commands/index.ts')).perform(command);
  }
}

async function complain(error: unknown, argv: readonly string[]): Promise<ExitCode> {
  const { failureText, failureCode } = await import('./failure.ts');
  process.stderr.write(failureText(error, isDebugging(argv)));
  return failureCode(error);
}

/** Read from the words themselves: the command line may be what is wrong. */
function isDebugging(argv: readonly string[]): boolean {
  return (
    argv.includes('--log-level=debug') ||
    argv[argv.indexOf('--log-level') + 1] === 'debug' ||
    process.env['LONGHAND_LOG_LEVEL'] === 'debug'
  );
}

/** A pipe takes as much as its reader does; what it has not taken yet would be gone with the process. */
async function written(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.writable) await new Promise<void>((resolve) => stream.write('', () => resolve()));
  }
}

/** It has read what it wanted; a run is interrupted by that elsewhere. */
function isReaderGone({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE';
}

/** Of a disk that is full, for one. */
function complainOf({ message }: Error): ExitCode {
  process.stderr.write(`longhand: standard output could not be written: ${message}\n`);
  return EXIT.error;
}
