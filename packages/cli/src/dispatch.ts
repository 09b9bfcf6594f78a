import { commandNamed, RUN } from './commands/registry.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { Interrupted } from './interrupts.ts';
import { UsageError } from './usage-error.ts';
import { VERSION } from './version.ts';

/** Runs one command line and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  let lost: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error) => {
    lost ??= error;
  });
  process.stderr.on('error', () => undefined); // nobody reads it any more
  let code: ExitCode;
  try {
    code = await execute(argv);
  } catch (error) {
    if (error instanceof Interrupted) code = EXIT.interrupted;
    else code = error instanceof UsageError ? EXIT.usage : await complain(error, argv);
    if (error instanceof UsageError) process.stderr.write(`longhand: ${error.message}\n`);
  }
  await written();
  process.exit(lost === undefined || isReaderGone(lost) ? code : complainOf(lost));
}

/** The command is the first word, or `run`. Only that command is loaded. Throws UsageError. */
async function execute(argv: readonly string[]): Promise<ExitCode> {
  const named = commandNamed(argv[0]);
  const command = await (named ?? RUN).load();
  const invocation = command.parse(named === undefined ? argv : argv.slice(1), process.env);
  switch (invocation.wants) {
    case 'run':
      return await invocation.run();
    case 'help':
      process.stdout.write((await import('./commands/help.ts')).helpOf(command));
      return EXIT.ok;
    case 'version':
      process.stdout.write(`${VERSION}\n`);
      return EXIT.ok;
  }
}

async function complain(error: unknown, argv: readonly string[]): Promise<ExitCode> {
  const { failureText, failureCode } = await import('./failure.ts');
  process.stderr.write(failureText(error, isDebugging(argv)));
  return failureCode(error);
}

/** Read from the words themselves, because the command line may be what is wrong. */
function isDebugging(argv: readonly string[]): boolean {
  return (
    argv.includes('--log-level=debug') ||
    argv[argv.indexOf('--log-level') + 1] === 'debug' ||
    process.env['LONGHAND_LOG_LEVEL'] === 'debug'
  );
}

/** Waits until the readers of both pipes have taken everything: the rest would be lost with the process. */
async function written(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.writable) await new Promise<void>((resolve) => stream.write('', () => resolve()));
  }
}

/** A reader that has seen enough closes the pipe; the run was interrupted by that already. */
function isReaderGone({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE';
}

/** A full disk, for example. */
function complainOf({ message }: Error): ExitCode {
  process.stderr.write(`longhand: cannot write to standard output: ${message}\n`);
  return EXIT.error;
}
