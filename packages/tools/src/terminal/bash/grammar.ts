/**
 * The grammar of bash: tree-sitter-bash, run by web-tree-sitter. Loading takes about 20 ms and 14 MB, so it happens when
 * the first command comes that is not plain (plain-line.ts). ADR 10 has the measurements.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { Node, Parser } from 'web-tree-sitter';

/** Parsing is aborted after this time, which only deeply nested or badly broken texts reach. */
const MOST_MS = 500;

export class BashGrammar {
  readonly #parser: Parser;

  constructor(parser: Parser) {
    this.#parser = parser;
  }

  /** Returns what `look` makes of the syntax tree, which is freed afterwards; null if parsing took too long. */
  read<T>(source: string, look: (root: Node) => T): T | null {
    const until = performance.now() + MOST_MS;
    const tree = this.#parser.parse(source, null, { progressCallback: () => performance.now() > until });
    if (tree === null) {
      this.#parser.reset(); // or it would resume the old text
      return null;
    }
    try {
      return look(tree.rootNode);
    } finally {
      tree.delete();
    }
  }
}

let loading: Promise<BashGrammar> | null = null;

/** Rejects if a file of the grammar is missing. */
export function loadGrammar(): Promise<BashGrammar> {
  loading ??= load();
  return loading;
}

/** What `loadGrammar` returned, or null if nobody has needed the grammar yet. */
export function loadingGrammar(): Promise<BashGrammar> | null {
  return loading;
}

async function load(): Promise<BashGrammar> {
  // The optimising compiler needs 500 MB and half a second for the one large function of this grammar.
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  const [{ Parser, Language }, runtime, grammar] = await Promise.all([
    import('web-tree-sitter'),
    readFile(fileOf('web-tree-sitter')),
    readFile(fileOf('tree-sitter-bash')),
  ]);
  await Parser.init({ wasmBinary: runtime });
  const parser = new Parser();
  parser.setLanguage(await Language.load(grammar));
  return new BashGrammar(parser);
}

/** A build has it beside the code (scripts/assets.ts), a clone has it in node_modules. */
function fileOf(name: string): string {
  const beside = join(import.meta.dirname, `${name}.wasm`);
  return existsSync(beside) ? beside : fileURLToPath(import.meta.resolve(`${name}/${name}.wasm`));
}
