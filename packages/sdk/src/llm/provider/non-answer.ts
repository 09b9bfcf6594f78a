import { headOf } from '../../value/cut.ts';

/** Recognises responses that no model wrote: the pages of web servers and proxies, and event streams where JSON was asked for. */

/** Characters of a response that an error message quotes. */
const MAX_QUOTE = 160;

/** What is wrong with a response. `advice` is a sentence for the user. */
export interface NonAnswer {
  readonly said: string;
  readonly advice: string;
}

/** Undefined if the body may be a model's answer, or a piece of one. */
export function nonAnswerOf(body: string, address: string): NonAnswer | undefined {
  const start = body.trimStart();
  if (/^<(!doctype|html|head|body|\?xml)\b/i.test(start))
    return {
      said: `the response is a web page, not JSON: "${quoted(textOfPage(start))}"`,
      advice: addressAdvice(address),
    };
  if (/^(data|event|id|retry): ?\S|^: /.test(start))
    return {
      said: `the response is an event stream, though JSON was requested: "${quoted(start)}"`,
      advice: 'Let the endpoint answer without streaming when the request has no "stream".',
    };
  return undefined;
}

export function addressAdvice(address: string): string {
  const isUrl = URL.canParse(address);
  return isUrl && !/\/v\d/.test(new URL(address).pathname)
    ? `Check the base URL: the API is often below /v1, as in ${address.replace(/\/+$/, '')}/v1.`
    : `Check the base URL ${address}: is it the address of the API?`;
}

function textOfPage(page: string): string {
  return page.replace(/<(script|style)\b.*?<\/\1>/gis, ' ').replace(/<[^>]*>/g, ' ');
}

function quoted(words: string): string {
  const line = words.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_QUOTE ? line : `${headOf(line, MAX_QUOTE)}...`;
}
