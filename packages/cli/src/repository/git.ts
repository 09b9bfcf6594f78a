/** Git as a program: it never asks, and is deaf to what the surroundings say about another repository. */
import { spawn } from 'node:child_process';
import { defined } from '@longhand/sdk/value';
import { withoutLogin } from './address.ts';

export type Environment = { readonly [name: string]: string | undefined };

/** `message` is what git said. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

export interface GitOptions {
  readonly cwd?: string;
  readonly env?: Environment;
  readonly input?: string;
  readonly signal?: AbortSignal;
}

/** What it writes to standard output. Throws GitError, also if there is no git. */
export async function git(args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const child = spawn('git', args, {
    ...defined({ cwd: options.cwd }),
    env: { ...gitEnvironment(process.env), ...options.env },
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    ...defined({ signal: options.signal }),
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (bytes: Buffer) => stdout.push(bytes));
  child.stderr?.on('data', (bytes: Buffer) => stderr.push(bytes));
  child.stdin?.on('error', () => undefined); // it says on standard error why it did not read on
  child.stdin?.end(options.input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') reject(new GitError('git, or the folder to call it in, is not there'));
      else if (error.name !== 'AbortError') reject(error);
    });
    child.on('close', resolve);
  });
  options.signal?.throwIfAborted();
  if (code === 0) return Buffer.concat(stdout);
  throw new GitError(
    said(Buffer.concat(stderr).toString('utf8')) || `git ${args[0]} ended with code ${code}`,
  );
}

/** The first line that says what went wrong. */
function said(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.trim());
  const reason = lines.find((line) => /^(fatal|error):/.test(line)) ?? lines.findLast((line) => line !== '');
  return withoutLogin(reason?.replace(/^(fatal|error): /, '') ?? '');
}

/** Tokens of the hosts that have one; the user's name there does not matter. */
const HOSTS: readonly { readonly host: string; readonly variable: string; readonly user: string }[] = [
  { host: 'github.com', variable: 'GITHUB_TOKEN', user: 'x-access-token' },
  { host: 'gitlab.com', variable: 'GITLAB_TOKEN', user: 'oauth2' },
  { host: 'bitbucket.org', variable: 'BITBUCKET_TOKEN', user: 'x-token-auth' },
];

/** Tokens go by the environment: in an address they would be written into the clone. */
export function gitEnvironment(env: Environment): Environment {
  const own = Object.fromEntries(
    Object.entries(env).filter(
      ([name]) =>
        !/^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|PREFIX|NAMESPACE)$/.test(
          name,
        ),
    ),
  );
  const before = Number(env['GIT_CONFIG_COUNT'] ?? 0) || 0;
  const tokens = HOSTS.filter(({ variable }) => env[variable]);
  const headers = tokens.flatMap(({ host, variable, user }, i) => {
    const login = Buffer.from(`${user}:${env[variable]}`).toString('base64');
    return [
      [`GIT_CONFIG_KEY_${before + i}`, `http.https://${host}/.extraHeader`],
      [`GIT_CONFIG_VALUE_${before + i}`, `Authorization: Basic ${login}`],
    ];
  });
  return {
    ...own,
    ...(tokens.length === 0 ? {} : { GIT_CONFIG_COUNT: String(before + tokens.length) }),
    ...Object.fromEntries(headers),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    SSH_ASKPASS: 'true',
    GCM_INTERACTIVE: 'never',
    GIT_SSH_COMMAND: env['GIT_SSH_COMMAND'] ?? 'ssh -oBatchMode=yes',
    LC_ALL: 'C',
  };
}
