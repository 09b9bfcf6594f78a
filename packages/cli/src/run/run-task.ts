import { rmSync } from 'node:fs';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { workingDirectory } from '../stored/directory.ts';
import { conversationsDirectory, storedConversation } from '../stored/find-conversation.ts';
import { createReporter, type Reporter } from '../view/reporter.ts';
import { type Beginning, begin, type RunCommand } from './beginning.ts';
import { modelFor, runIn } from './run-in.ts';

/** Gives the agent a task and lets it work until the run ends. */
export async function runTask(command: RunCommand): Promise<ExitCode> {
  const reporter = createReporter(command.output, process, process.env);
  const beginning = await begin(command, reporter.warn);
  if (beginning === null) return EXIT.ok;
  const { asked, isNew, stored } = beginning;
  const { repo } = asked.place;
  if (repo !== undefined && isNew) return await runInClone({ ...asked.place, repo }, beginning, reporter);
  const directory = checkedDirectory(asked, stored.workingDir);
  return await runIn(directory, { ...beginning, organisation: stored.organisation }, reporter);
}

async function runInClone(
  place: RunCommand['place'] & { readonly repo: string },
  beginning: Beginning,
  reporter: Reporter,
): Promise<ExitCode> {
  const { asked, id } = beginning;
  await modelFor(asked, beginning.settings); // without a model there is no point in cloning
  const { clonedWorkspace } = await import('../repository/workspace.ts');
  const { directory, repository } = await clonedWorkspace(place, id, reporter.say);
  try {
    const { fetchOrganisation } = await import('../repository/organisation.ts');
    const organisation = await fetchOrganisation(repository, reporter.say);
    return await runIn(directory, { ...beginning, organisation }, reporter);
  } catch (error) {
    const conversations = conversationsDirectory(asked.store.conversationsDir);
    // A clone that no conversation uses would be left over.
    if (storedConversation(conversations, id) === undefined)
      rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

/** Throws UsageError. */
function checkedDirectory({ place: { directory } }: RunCommand, before: string | undefined): string {
  return directory === undefined && before !== undefined
    ? workingDirectory(before, 'the conversation worked there; choose another with -d')
    : workingDirectory(directory ?? '.', 'choose one with -d');
}
