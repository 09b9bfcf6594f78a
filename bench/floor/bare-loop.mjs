// The smallest possible agent: fetch, `bash -c`, a list of messages. It stores nothing and survives nothing.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const [baseUrl, task] = process.argv.slice(2);
const tools = [
  {
    type: 'function',
    function: {
      name: 'bash',
      description: 'Runs a command.',
      parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    },
  },
];
const messages = [
  { role: 'system', content: 'You work on a machine with a shell.' },
  { role: 'user', content: task },
];
for (;;) {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
    body: JSON.stringify({ model: 'bench', messages, tools }),
  });
  const { message } = (await response.json()).choices[0];
  messages.push(message);
  if (!message.tool_calls) {
    console.log(message.content);
    break;
  }
  for (const call of message.tool_calls) {
    const { command } = JSON.parse(call.function.arguments);
    const { stdout, stderr } = await run('bash', ['-c', command]).catch((error) => error);
    messages.push({ role: 'tool', tool_call_id: call.id, content: stdout + stderr });
  }
}
