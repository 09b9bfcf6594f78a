import { LLMError } from '@longhand/sdk';
import { EXIT, type ExitCode } from './exit-code.ts';
import { sanitize } from './view/sanitize.ts';

/** What a command threw, for people: what was wrong and what to do about it; where in the code only on request. */
export function failureText(error: unknown, debugging: boolean): string {
  const message = error instanceof Error ? error.message : String(error);
  const remedy = error instanceof LLMError && error.remedy !== undefined ? `\n  ${error.remedy}` : '';
  const stack = debugging && error instanceof Error ? `\n${error.stack ?? ''}` : '';
  return `${sanitize(`longhand: ${message}${remedy}${stack}`)}\n`;
}

/** A model that could not even be set up is a matter of configuration; failures of requests are outcomes, not thrown. */
export function failureCode(error: unknown): ExitCode {
  return error instanceof LLMError ? EXIT.usage : EXIT.error;
}
