import { serializeEvent } from '@longhand/sdk';
import { outputLine, ownLine } from './own-lines.ts';
import type { View } from './plain-view.ts';
import type { Output } from './screen.ts';

/** `--json`: each event as it is on disk, and what running calls print. */
export function jsonLinesView(out: Output): View {
  /** The characters of output that a slow reader has missed, by action. */
  const missed = new Map<string, number>();
  return {
    onEvent: (event) => {
      if (event.kind === 'ObservationEvent') missed.delete(event.action_id);
      out.write(`${serializeEvent(event)}\n`);
    },
    onNotice: (notice) => {
      if (notice.type !== 'tool-output') return;
      const { actionId, text } = notice;
      const omitted = notice.omitted + (missed.get(actionId) ?? 0);
      // Unread output must not fill memory.
      if (out.writableNeedDrain === true) {
        missed.set(actionId, omitted + text.length);
        return;
      }
      missed.delete(actionId);
      out.write(ownLine(outputLine({ ...notice, omitted })));
    },
    interrupting: () => undefined,
    close: () => undefined,
  };
}
