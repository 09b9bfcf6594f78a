/** Git as a program: it never prompts, and ignores variables that point to another repository. */
import { spawn } from 'node:child_process';
import { defined } from '@longhand/sdk/value';
import { withoutLogin } from './address.ts';

export type Environment = { readonly [name: string]: string | undefined };

/** `message` is the error message of git. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

export interface GitOptions {
  readonly cwd?: string;
  readonly env?: Environment;
  readonly input?: string;
  readonly signal?: AbortSignal;
}

/** Its standard output. Throws GitError, also if git is not installed. */
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
  child.stdin?.on('error', () => undefined); // standard error says why it stopped reading
  child.stdin?.end(options.input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') reject(new GitError('git, or the folder to run it in, does not exist'));
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

/** The first line that says what failed. */
function said(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.trim());
  const reason = lines.find((line) => /^(fatal|error):/.test(line)) ?? lines.findLast((line) => line !== '');
  return withoutLogin(reason?.replace(/^(fatal|error): /, '') ?? '');
}

/** The variables with tokens for hosts; the user name does not matter there. */
const HOSTS: readonly { readonly host: string; readonly variable: string; readonly user: string }[] = [
  { host: 'github.com', variable: 'GITHUB_TOKEN', user: 'x-access-token' },
  { host: 'gitlab.com', variable: 'GITLAB_TOKEN', user: 'oauth2' },
  { host: 'bitbucket.org', variable: 'BITBUCKET_TOKEN', user: 'x-token-auth' },
];

/** Tokens are passed in the environment: in an address they would be stored in the clone. */
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
