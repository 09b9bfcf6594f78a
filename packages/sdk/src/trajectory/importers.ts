import { eventsImporter } from './event-folder.ts';
import { openAiImporter } from './from-openai.ts';
import type { Importer } from './importer.ts';
import { jsonlImporter } from './jsonl.ts';
import { v0Importer } from './v0/from-v0.ts';

/** The formats that can be imported, by name. A text is read by the first that recognises it. */
export const IMPORTERS = {
  v0: v0Importer,
  events: eventsImporter,
  openai: openAiImporter,
  jsonl: jsonlImporter,
} as const satisfies { readonly [format: string]: Importer };

/** The name of an import format. */
export type ImportFormat = keyof typeof IMPORTERS;

/** The names of the import formats. */
export const IMPORT_FORMATS = Object.keys(IMPORTERS) as readonly ImportFormat[];
