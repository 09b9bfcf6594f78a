import { type Content, text } from '../content.ts';
import type { Observation } from './result.ts';

/**
 * What an observation says: its content, or the fields in which two of the OpenHands SDK's kinds (1.57, `tom_consult`) keep their words, with an
 * empty content.
 */
export function observationContent(observation: Observation): readonly Content[] {
  const content = observation.content as readonly Content[];
  if (content.length > 0) return content;
  switch (observation.kind) {
    case 'ConsultTomObservation':
      return [text(adviceIn(observation))];
    case 'SleeptimeComputeObservation':
      return [
        text(
          `${count(observation['sessions_processed'])} conversations indexed.\n${said(observation['message'])}`,
        ),
      ];
    default:
      return content;
  }
}

function adviceIn({ suggestions, reasoning, confidence }: Observation): string {
  if (said(suggestions) === '') return 'No suggestion was made.';
  return [
    said(suggestions),
    ...(said(reasoning) === '' ? [] : [`Reasoning: ${said(reasoning)}`]),
    ...(typeof confidence === 'number' ? [`Confidence: ${Math.round(confidence * 100)}%`] : []),
  ].join('\n\n');
}

function said(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
