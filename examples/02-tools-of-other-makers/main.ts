/** An agent with tools of three other makers: `node --conditions=longhand-source examples/02-tools-of-other-makers/main.ts "TASK"` */
import { adaptTool, type Content, Conversation, openLocalWorkspace, textOf } from '@longhand/sdk';
import { modelFromEnvironment } from '../model.ts';
import { done, sleep, webSearch } from './tools.ts';

const [task = 'Search for "discriminated union", wait a tenth of a second, and say what you found.'] =
  process.argv.slice(2);

const tools = await Promise.all([
  adaptTool(webSearch, { annotations: { readOnlyHint: true }, timeoutMs: 20_000 }),
  adaptTool(done, { name: 'done', endsRun: true, annotations: { readOnlyHint: true } }),
  adaptTool(sleep, { annotations: { readOnlyHint: true, openWorldHint: false } }),
]);

const conversation = await Conversation.open({
  agent: { llm: modelFromEnvironment(), tools: tools.map(({ name }) => ({ name, params: {} })) },
  tools,
  workspace: openLocalWorkspace('.'),
});
conversation.subscribe({
  onEvent: (event) => {
    if (event.kind === 'ActionEvent') console.log(event.tool_name, event.tool_call.arguments);
    if (event.kind === 'ObservationEvent') console.log(textOf(event.observation.content as Content[]));
    if (event.kind === 'AgentErrorEvent') console.log(event.error);
  },
});
await conversation.send(task);
const outcome = await conversation.run();
await conversation.close();
console.log(outcome.kind);
