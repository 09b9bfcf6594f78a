/** An agent with a tool of one's own: `node --conditions=longhand-source examples/01-a-tool-of-your-own/main.ts FOLDER "TASK"` */
import { Conversation, openLocalWorkspace, shownCall, shownResult } from '@longhand/sdk';
import { finishTool } from '@longhand/tools';
import { modelFromEnvironment } from '../model.ts';
import { columnStats } from './column-stats.ts';

const [folder = '.', task = 'What do the orders in orders.csv add up to?'] = process.argv.slice(2);
const tools = [columnStats, finishTool];

const conversation = await Conversation.open({
  agent: { llm: modelFromEnvironment(), tools: tools.map(({ name }) => ({ name, params: {} })) },
  tools,
  workspace: openLocalWorkspace(folder),
});
conversation.subscribe({
  onEvent: (event) => {
    if (event.kind === 'ActionEvent' && event.action !== undefined)
      console.log(shownCall(conversation.tool(event.tool_name), event.action) ?? event.tool_name);
    if (event.kind === 'ObservationEvent')
      console.log(shownResult(conversation.tool(event.tool_name), event.observation) ?? '');
  },
});
await conversation.send(task);
const outcome = await conversation.run();
console.log(outcome.kind === 'finished' ? outcome.message : outcome);
await conversation.close();
