/** For tests: an MCP server on pipes. The first argument says how it misbehaves before it is asked for anything. */
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { oddServer } from './mcp-odd-tools.ts';

const way = process.argv[2] ?? '';

if (way === 'dies') {
  console.error('no licence for this server');
  process.exit(4);
} else if (way === 'silent') {
  process.stdin.resume();
} else if (way === 'lies') {
  answerByHand();
} else {
  if (way === 'noisy') console.log('Starting up...\n{"not": "ours"}\n[1]\nnull');
  const { server } = oddServer(() => process.exit(3));
  await server.connect(new StdioServerTransport());
}

/** What no library would send. */
function answerByHand(): void {
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (words: string) => {
    const lines = `${rest}${words}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { id, method, params } = JSON.parse(line);
      const result = lie(method, params);
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }
  });
}

function lie(
  method: string,
  params: { cursor?: string; name?: string; protocolVersion?: string } = {},
): unknown {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'liar', version: '0' },
      };
    case 'tools/list':
      return {
        tools: [
          { name: 'no schema' },
          { name: 'text schema', inputSchema: { type: 'string' } },
          {
            name: 'broken',
            description: '',
            inputSchema: { type: 'object', properties: { a: { type: 'strnig' } } },
          },
          { name: 'circle', inputSchema: { type: 'object', properties: { a: { $ref: '#/properties/a' } } } },
          { name: 'huge', description: 'x'.repeat(200_000), inputSchema: { type: 'object' } },
          { name: 'broken', inputSchema: { type: 'object' } },
          { description: 'nameless' },
          'no tool',
        ],
        nextCursor: 'again',
      };
    default:
      return params.name === 'no schema'
        ? { content: 'no list', structuredContent: { a: 1 } }
        : ['no result'];
  }
}
