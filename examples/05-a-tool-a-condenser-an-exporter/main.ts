/** A tool, a condenser and an exporter of your own: `node --conditions=longhand-source examples/05-a-tool-a-condenser-an-exporter/main.ts FOLDER` */
import { Conversation, openLocalWorkspace, readConversation } from '@longhand/sdk';
import { finishTool } from '@longhand/tools';
import { modelFromEnvironment } from '../model.ts';
import { firstLines } from './first-lines.ts';
import { markdownExporter } from './markdown.ts';
import { wordCount } from './word-count.ts';

const [folder = '.'] = process.argv.slice(2);
const tools = [wordCount, finishTool];
const conversation = await Conversation.open({
  agent: { llm: modelFromEnvironment(), tools: tools.map(({ name }) => ({ name, params: {} })) },
  tools,
  workspace: openLocalWorkspace(folder),
  place: { conversationsDir: `${folder}/conversations` },
  standIns: { condenser: firstLines(100, 2) },
});
await conversation.send('How long is poem.txt?');
await conversation.run();
const { id, directory } = conversation;
await conversation.close();

const stored = await readConversation(directory ?? '');
const text = await markdownExporter.text?.(
  {
    id,
    events: [...stored.log.read()].map(([, event]) => event),
    branch: stored.branch(),
    accounts: stored.accounts(),
    render:
      async () =>
      ({ content }) =>
        content,
  },
  {},
);
console.log(text);
await stored.close();
