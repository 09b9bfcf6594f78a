import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { LlmConfig } from '@longhand/sdk';
import { makeFolder } from '@longhand/sdk/internal';
import { environmentLayer } from '../config/config.ts';
import { DEMO_FILES, DEMO_TASK } from '../demo/repository.ts';
import { demoScript } from '../demo/script.ts';
import { verdict } from '../demo/verdict.ts';
import { type ExitCode, exitCodeOf } from '../exit-code.ts';
import { type Asked, defineCommand, noWords } from '../flags/command.ts';
import { OUTPUT, QUIET } from '../flags/shared-flags.ts';
import { STORE } from '../flags/table.ts';
import { converse } from '../run/session.ts';
import { makeConversationsDirectory } from '../stored/directory.ts';
import { conversationsDirectory } from '../stored/find-conversation.ts';
import { whereFlag } from '../stored/where.ts';
import { createReporter } from '../view/reporter.ts';

const FLAGS = { output: { ...OUTPUT, quiet: QUIET }, store: STORE };

/** `longhand demo`: everything is real except the model, which plays a script. */
export const demo = defineCommand({
  name: 'demo',
  about:
    'longhand demo: the real engine and the real tools repair a small repository in a temporary folder. Only the model is a\nscript, so no key is needed.',
  flags: FLAGS,
  words: noWords,
  run: showDemo,
});

async function showDemo({ output, store }: Asked<typeof FLAGS, undefined>): Promise<ExitCode> {
  const reporter = createReporter(output, process, process.env);
  const conversationsDir = makeConversationsDirectory(conversationsDirectory(store.conversationsDir));
  const { root, script } = unpack();
  // The tests run with this Node, even if the shell has none.
  process.env['PATH'] = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const outcome = await converse(
    {
      intro: [
        'The model in this demo is a script: its messages and calls were written in advance.',
        'Everything else is real: the engine, the tools, the repository, the failing test and the log.',
        `Repository: ${root}`,
        '',
      ],
      message: DEMO_TASK,
      isNew: true,
      workingDir: root,
      storeFlag: whereFlag(store.conversationsDir),
      agent: { llm: { model: `scripted/${script}`, ...toolCalling() } },
      place: { conversationsDir },
    },
    reporter,
    verdict,
  );
  return exitCodeOf(outcome);
}

/** With `LLM_NATIVE_TOOL_CALLING=false` the calls are written as text, as for a model without native tool calls. */
function toolCalling(): Pick<LlmConfig, 'capabilities'> {
  const { nativeToolCalling } = environmentLayer(process.env).llm.capabilities ?? {};
  return { capabilities: { nativeToolCalling } };
}

function unpack(): { readonly root: string; readonly script: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-demo-')));
  const root = join(folder, 'free-time');
  for (const [path, content] of Object.entries(DEMO_FILES)) {
    makeFolder(dirname(join(root, path)));
    writeFileSync(join(root, path), content);
  }
  const script = join(folder, 'script.json');
  writeFileSync(script, JSON.stringify(demoScript(root, commit(root)), null, 2));
  return { root, script };
}

/** Makes it a git repository if git is installed; the demo works without it too. */
function commit(root: string): boolean {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'ignore' });
  try {
    git('init', '--quiet');
    git('add', '.');
    git(
      '-c',
      'user.name=Longhand',
      '-c',
      'user.email=demo@localhost',
      '-c',
      'commit.gpgsign=false',
      'commit',
      '--quiet',
      '-m',
      'Find free time between meetings',
    );
    return true;
  } catch {
    return false;
  }
}
