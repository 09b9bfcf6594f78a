import { type Content, text, textOf } from '../../event/content.ts';
import type { Observation } from '../../event/kinds.ts';
import { CLIPPED, truncateMiddle } from '../../event/truncate.ts';
import type { ObservationBody } from '../tool.ts';
import { adaptedKind } from './action.ts';
import { resultOf } from './result-content.ts';

const MAX_CHARACTERS = 30_000;
/** In base64: 5 MB, the lowest limit of any provider. */
const MAX_IMAGE_CHARACTERS = (5 * 1024 * 1024 * 4) / 3 + 100;

/** How results of an adapted tool are stored. */
export interface AdaptedObservation {
  /** The kind of its observations, such as `WebSearchObservation`. */
  readonly kind: string;
  /** The observation of what a call returned, or of an Error with which it failed: content that the model can read, within limits. */
  create(result: unknown): Observation;
}

/** The observation of a foreign tool, by the tool's name. */
export function adaptObservation(name: string): AdaptedObservation {
  const { observation: kind } = adaptedKind(name);
  return { kind, create: (result) => ({ ...storedBody(resultOf(result), name), kind }) as Observation };
}

/** The observation without its kind, with the tool's original name. */
export function storedBody({ content, is_error }: ObservationBody, name: string): ObservationBody {
  return { content: clipped(content), is_error, tool_name: name };
}

/** Limits text to what a model should have to read, and drops images that no provider accepts: they would break every later request. */
function clipped(given: readonly Content[]): readonly Content[] {
  const content = given.map(withinSize);
  const whole = textOf(content);
  if (whole.length <= MAX_CHARACTERS) return content;
  const others = content.filter(({ type }) => type !== 'text');
  return [text(truncateMiddle(whole, MAX_CHARACTERS, `\n${CLIPPED}\n`)), ...others];
}

function withinSize(block: Content): Content {
  if (block.type !== 'image' || block.image_urls.every((url) => url.length <= MAX_IMAGE_CHARACTERS))
    return block;
  return text('(an image of more than 5 MB, which cannot be shown)');
}
