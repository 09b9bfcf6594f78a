import { type Exporter, textOf } from '@longhand/sdk';

export const markdownExporter: Exporter = {
  about: 'the messages, as Markdown',
  text: ({ branch }) =>
    branch
      .flatMap((event) => (event.kind === 'MessageEvent' ? [event] : []))
      .map(({ source, llm_message: { content } }) => `**${source}:** ${textOf(content)}\n`)
      .join('\n'),
};
