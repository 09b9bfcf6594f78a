/** What a message carries besides its text: images of `--image`, and the files that the text of `-t` names as `@path`. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Content, image, text } from '@longhand/sdk';
import { fileFault } from '../file-fault.ts';
import { UsageError } from '../usage-error.ts';

/** Larger files are left for the agent to read, in parts. */
const MAX_TEXT_BYTES = 100 * 1024;
const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

export interface AttachmentOptions {
  /** Files of `--image`, relative to the current folder. */
  readonly images: readonly string[];
  /** The text in which files are named; that of files and pipes is taken as it is. */
  readonly typed: string | undefined;
  /** Named files are relative to it. */
  readonly workingDir: string;
  /** Null if the model can see images, else its name. */
  readonly blind: string | null;
  readonly warn: (text: string) => void;
}

/** The message as it is sent: its text alone, or with blocks for what it carries. Throws UsageError for a wrong `--image`. */
export function withAttachments(message: string, options: AttachmentOptions): string | readonly Content[] {
  const { images, typed = '', workingDir } = options;
  if (images.length > 0 && options.blind !== null)
    throw new UsageError(
      `--image: ${options.blind} is not known to accept images\n  If it does, set vision = true in [llm.capability_overrides] of the config file`,
    );
  const blocks = [
    ...mentioned(typed, workingDir).flatMap((path) => blockOf(path, options)),
    ...images.map(givenImage),
  ];
  return blocks.length === 0 ? message : [text(message), ...blocks];
}

/** The files that a text names as `@path` or `@"path with spaces"`, each once. Other words stay words: `@name` has many meanings. */
function mentioned(typed: string, workingDir: string): readonly string[] {
  const words = typed.matchAll(/(?<=^|[\s(])@(?:"([^"\n]+)"|([^\s"]+))/g);
  const files = [...words].flatMap(([, quoted, bare = '']) => {
    const spellings = quoted === undefined ? [bare, bare.replace(/[.,;:!?)]+$/, '')] : [quoted];
    return spellings.find((path) => isFile(resolve(workingDir, path))) ?? [];
  });
  return [...new Set(files)];
}

function blockOf(found: string, options: AttachmentOptions): readonly Content[] {
  const leave = (why: string) => {
    options.warn(`@${found} is not attached: ${why}; the agent can open it itself`);
    return [];
  };
  try {
    const absolute = resolve(options.workingDir, found);
    const { size } = statSync(absolute);
    if (size > MAX_IMAGE_BYTES) return leave(`its ${size} bytes are too many`);
    const bytes = readFileSync(absolute);
    const type = imageType(bytes);
    if (type !== undefined)
      return options.blind === null
        ? [imageOf(bytes, type)]
        : leave(`${options.blind} is not known to accept images`);
    if (size > MAX_TEXT_BYTES) return leave(`its ${size} bytes are more than ${MAX_TEXT_BYTES}`);
    const content = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return [text(`<file path=${JSON.stringify(found)}>\n${content.replace(/\n$/, '')}\n</file>`)];
  } catch (error) {
    return leave(fileFault(error));
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function givenImage(path: string): Content {
  const fail = (why: string) => new UsageError(`--image: ${path} ${why}`);
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw fail(`cannot be read: ${fileFault(error)}`);
  }
  const type = imageType(bytes);
  if (type === undefined) throw fail('is not a PNG, JPEG, GIF, WebP or BMP image');
  if (bytes.length > MAX_IMAGE_BYTES)
    throw fail(`has ${bytes.length} bytes; at most ${MAX_IMAGE_BYTES} are sent`);
  return imageOf(bytes, type);
}

function imageOf(bytes: Buffer, type: string): Content {
  return image(`data:${type};base64,${bytes.toString('base64')}`);
}

/** By the first bytes; a name may be wrong. */
function imageType(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 12).toString('latin1');
  if (start.startsWith('\x89PNG')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('GIF8')) return 'image/gif';
  if (start.startsWith('BM') && bytes.length > 26 && bytes.readUInt32LE(2) === bytes.length)
    return 'image/bmp';
  return start.startsWith('RIFF') && start.slice(8) === 'WEBP' ? 'image/webp' : undefined;
}
