import { join } from 'node:path';
import type { LlmConfig } from '../config/llm-config.ts';

export interface CaptureOptions {
  /** The folder for requests; null: they are not written. */
  readonly requestsDir: string | null;
  readonly rawResponses: boolean;
  /** The folder for completion logs; null: they are not written. */
  readonly completionsDir: string | null;
  readonly mask: (text: string) => string;
}

export function captureOptions(
  config: LlmConfig,
  env: { readonly [name: string]: string | undefined },
  mask: (text: string) => string,
): CaptureOptions | null {
  const variable = (name: string) => env[`LONGHAND_${name}`] ?? env[`OPENHANDS_${name}`];
  const dump = isOn(variable('DUMP_REQUEST'));
  const rawResponses = isOn(variable('CAPTURE_RAW_RESPONSE'));
  const { enabled: completions = false, folder } = config.completionLog ?? {};
  if (!dump && !rawResponses && !completions) return null;
  return {
    requestsDir: dump || rawResponses ? (variable('DUMP_REQUEST_DIR') ?? 'logs/requests') : null,
    rawResponses,
    completionsDir: completions ? (folder ?? join(env['LOG_DIR'] ?? 'logs', 'completions')) : null,
    mask,
  };
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && /^(1|true|yes|on)$/i.test(value);
}
