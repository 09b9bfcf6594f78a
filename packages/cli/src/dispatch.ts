import { EXIT, type ExitCode } from './exit-code.ts';
import type { Command } from './flags/commands.ts';
import { parseCommand } from './flags/parse-command.ts';
import { Interrupted } from './run/interrupts.ts';
import { UsageError } from './usage-error.ts';
import { VERSION } from './version.ts';

/** Runs one command line and ends the process with its exit code. The commands are loaded when one is asked for. */
export async function main(argv: readonly string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined); // told at the end
  let code: ExitCode;
  try {
    code = await execute(parseCommand(argv, process.env));
  } catch (error) {
    if (error instanceof Interrupted) code = EXIT.interrupted;
    else code = error instanceof UsageError ? EXIT.usage : await complain(error, argv);
    if (error instanceof UsageError) process.stderr.write(`longhand: ${error.message}\n`);
  }
  await end(code);
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

/** On Linux what was written has been handed over; elsewhere a pipe may still hold some of it. */
async function end(code: ExitCode): Promise<never> {
  if (process.platform !== 'linux') {
    for (const stream of [process.stdout, process.stderr]) {
      if (stream.writable) await new Promise<void>((resolve) => stream.write('', () => resolve()));
    }
  }
  process.exit(isOutputWhole() ? code : EXIT.error);
}

/** A reader that goes away has read what it wanted: a run is interrupted by it elsewhere. A disk that is full is told of. */
function isOutputWhole(): boolean {
  const { errored } = process.stdout;
  if (errored === null || (errored as NodeJS.ErrnoException).code === 'EPIPE') return true;
  process.stderr.write(`longhand: standard output could not be written: ${errored.message}\n`);
  return false;
}
