/** An event kind of your own survives a reload: `node --conditions=longhand-source examples/04-an-event-kind-of-your-own/main.ts FOLDER` */
import { Conversation, openLocalWorkspace, showEvent, toOpenAi } from '@longhand/sdk';
import { finishTool } from '@longhand/tools';
import { modelFromEnvironment } from '../model.ts';
import { buildFinished } from './build-finished.ts';

const [folder = '.'] = process.argv.slice(2);
const open = (id?: string) =>
  Conversation.open({
    agent: { llm: modelFromEnvironment(), tools: [{ name: 'finish', params: {} }] },
    tools: [finishTool],
    workspace: openLocalWorkspace(folder),
    place: { id, conversationsDir: folder },
  });

const first = await open();
await first.record(buildFinished.draft('environment', { branch: 'main', failures: ['parser.test.ts'] }));
const { id } = first;
await first.close();

// As in another process: the event is read from its file, validated, and part of the prompt.
const again = await open(id);
await again.send('Which test failed?');
const outcome = await again.run();
const events = [...again.log.read()].map(([, event]) => event);
for (const event of events) {
  const build = buildFinished.match(event);
  if (build !== undefined) console.log(`${build.source}: ${build.branch}, ${showEvent(event)}`);
}
console.log(outcome.kind === 'finished' ? outcome.message : outcome);
console.log(
  toOpenAi(events)
    .map(({ role }) => role)
    .join(', '),
);
await again.close();
