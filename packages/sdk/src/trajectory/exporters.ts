import { eventsExporter } from './event-folder.ts';
import type { Exporter } from './exporter.ts';
import { htmlExporter } from './html/report.ts';
import { jsonlExporter } from './jsonl.ts';
import { openAiExporter } from './openai.ts';
import { v0Exporter } from './v0/to-v0.ts';

/** The export formats by name. */
export const EXPORTERS = {
  v0: v0Exporter,
  events: eventsExporter,
  openai: openAiExporter,
  jsonl: jsonlExporter,
  html: htmlExporter,
} as const satisfies { readonly [format: string]: Exporter };

/** The name of an export format. */
export type ExportFormat = keyof typeof EXPORTERS;

/** The names of the export formats. */
export const EXPORT_FORMATS = Object.keys(EXPORTERS) as readonly ExportFormat[];
