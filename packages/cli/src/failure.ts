import { LLMError } from '@longhand/sdk';
import { EXIT, type ExitCode } from './exit-code.ts';
import { sanitize } from './view/sanitize.ts';

/** An error for people: what was wrong and what to do about it; the stack trace only on request. */
export function failureText(error: unknown, debugging: boolean): string {
  const message = error instanceof Error ? error.message : String(error);
  const remedy = error instanceof LLMError && error.remedy !== undefined ? `\n  ${error.remedy}` : '';
  const stack = debugging && error instanceof Error ? `\n${error.stack ?? ''}` : '';
  return `${sanitize(`longhand: ${message}${remedy}${stack}`)}\n`;
}

/** A model that cannot be set up is a mistake in the configuration. Failed requests are not thrown: they are outcomes. */
export function failureCode(error: unknown): ExitCode {
  return error instanceof LLMError ? EXIT.usage : EXIT.error;
}
