import { serializeEvent } from '@longhand/sdk';
import type { View } from './plain-view.ts';
import type { Output } from './screen.ts';

/** `--json`: one event per line, as it is on disk, and nothing else. */
export function jsonLinesView(out: Output): View {
  return {
    onEvent: (event) => {
      out.write(`${serializeEvent(event)}\n`);
    },
    onNotice: () => undefined,
    close: () => undefined,
  };
}
