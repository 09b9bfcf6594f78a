import { LONGEST_TIMER_MS } from '@longhand/sdk/value';
import * as z from 'zod';
import { toolParams } from '../../tool-params.ts';

const time = (usual: number, unitMs: number) =>
  z
    .number()
    .positive()
    .default(usual)
    .transform((given) => Math.min(given, LONGEST_TIMER_MS / unitMs)); // a longer timer would fire at once
const seconds = (usual: number) => time(usual, 1_000);

/** The `params` of `browser` and `browser_tool_set` in an agent's specification. */
const params = {
  /** The browser to start. Default: `LONGHAND_CHROME`, `CHROME_PATH`, then an installed one. */
  executable_path: z.string().min(1).optional(),
  /** Default true, unless `OH_ENABLE_VNC` is `true`, `1` or `yes`. */
  headless: z.boolean().optional(),
  /** Chromium's own sandbox; default: on, unless the user is root. */
  sandbox: z.boolean().optional(),
  /** The only hosts that may be visited: `example.com` (and its `www.`), `*.example.com` (and all below it). */
  allowed_domains: z.array(z.string().min(1)).default([]),
  /** Scripts that run in every page before its own. */
  inject_scripts: z.array(z.string()).default([]),
  /** The browser is closed after being idle for this long. */
  session_timeout_minutes: time(30, 60_000),
  /** Time for the browser to start. */
  init_timeout_seconds: seconds(30),
  /** Time for one call. */
  action_timeout_seconds: seconds(300),
  /** Time for an element to become usable: visible, stable, enabled. */
  element_timeout_seconds: seconds(3),
  /** Time for a page to start to answer. */
  navigation_timeout_seconds: seconds(30),
};

export type BrowserSettings = Readonly<z.output<z.ZodObject<typeof params>>> & { readonly headless: boolean };

/** Throws an Error naming each invalid setting. */
export function browserSettings(given: object, env: NodeJS.ProcessEnv = process.env): BrowserSettings {
  const settings = toolParams('browser', params, given);
  const visible = ['true', '1', 'yes'].includes((env['OH_ENABLE_VNC'] ?? '').toLowerCase());
  return { ...settings, headless: settings.headless ?? !visible };
}
