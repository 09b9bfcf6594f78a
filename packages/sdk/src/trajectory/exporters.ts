import { eventsExporter } from './event-folder.ts';
import type { Exporter } from './exporter.ts';
import { htmlExporter } from './html/report.ts';
import { jsonlExporter } from './jsonl.ts';
import { openAiExporter } from './openai.ts';
import { v0Exporter } from './v0/to-v0.ts';

/** The formats that a conversation is exported in, by name. */
export const EXPORTERS = {
  v0: v0Exporter,
  events: eventsExporter,
  openai: openAiExporter,
  jsonl: jsonlExporter,
  html: htmlExporter,
} as const satisfies { readonly [format: string]: Exporter };

/** The name of a format that a conversation is exported in. */
export type ExportFormat = keyof typeof EXPORTERS;

/** The names of the formats that a conversation is exported in. */
export const EXPORT_FORMATS = Object.keys(EXPORTERS) as readonly ExportFormat[];
