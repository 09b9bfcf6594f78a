import * as z from 'zod';

/** The schema of a piece of text in a message. Wire format: spec of the OpenHands SDK 1.43, `TextContent`. */
export const textContentSchema = z.object({
  cache_prompt: z.boolean().optional(),
  type: z.literal('text'),
  text: z.string(),
});
export type TextContent = Readonly<z.infer<typeof textContentSchema>>;

/** The schema of images in a message: http(s) or `data:` URLs. */
export const imageContentSchema = z.object({
  cache_prompt: z.boolean().optional(),
  type: z.literal('image'),
  image_urls: z.array(z.string()),
});
export type ImageContent = Readonly<z.infer<typeof imageContentSchema>>;

export const contentSchema = z.discriminatedUnion('type', [textContentSchema, imageContentSchema]);
/** A piece of a message: text or images. */
export type Content = TextContent | ImageContent;

/** Text content. Half a surrogate pair, left over by a cut, becomes a replacement character: providers refuse requests that contain one. */
export function text(value: string): TextContent {
  return { cache_prompt: false, type: 'text', text: value.toWellFormed() };
}

/** Content of images, by http(s) or `data:` URLs. */
export function image(...urls: string[]): ImageContent {
  return { cache_prompt: false, type: 'image', image_urls: urls };
}

/** The text blocks of `content`, joined by newlines; images are skipped. */
export function textOf(content: readonly Content[]): string {
  return content
    .filter((block) => block.type === 'text')
    .map((block) => block.text)
    .join('\n');
}
