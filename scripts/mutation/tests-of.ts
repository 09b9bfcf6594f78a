/**
 * Which tests run which parts of a file: every test file of its package that imports it, directly or not, is run once under V8's
 * coverage, which counts blocks.
 */
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runTest } from './run-test.ts';

/** A test file that passes without a mutant. */
export interface CoveringTest {
  readonly path: string;
  /** How many imports lie between it and the file. */
  readonly distance: number;
  readonly tookMs: number;
  /** Whether it runs the code at an offset of a source file. */
  covers(path: string, offset: number): boolean;
}

/** The absolute paths of the tests of the same packages that import one of the files, each with its distance. */
export function testsImporting(root: string, files: readonly string[]): Map<string, number> {
  const packages = new Set(files.map((file) => relative(root, file).split('/')[1]));
  const sources = [...packages].flatMap((name) =>
    globSync(`packages/${name}/{src,test-support}/**/*.ts`, { cwd: root }),
  );
  const importers = new Map<string, Set<string>>();
  for (const path of sources.map((each) => resolve(root, each))) {
    for (const imported of importsOf(path)) {
      const known = importers.get(imported) ?? new Set();
      importers.set(imported, known.add(path));
    }
  }
  const distances = new Map(files.map((file) => [file, 0]));
  for (const [file, distance] of distances)
    for (const importer of importers.get(file) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  return new Map([...distances].filter(([file]) => file.endsWith('.test.ts')));
}

function importsOf(path: string): string[] {
  const specifiers = readFileSync(path, 'utf8').matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g);
  return [...specifiers].map(([, specifier = '']) => resolve(dirname(path), specifier));
}

/** Runs a test file without a mutant. Null if it fails or takes longer than the limit. */
export async function coverageOf(
  path: string,
  distance: number,
  limitMs: number,
): Promise<CoveringTest | null> {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-coverage-'));
  try {
    const beganAt = performance.now();
    const outcome = await runTest(path, { NODE_V8_COVERAGE: folder }, limitMs);
    if (outcome !== 'passed') return null;
    const tookMs = performance.now() - beganAt;
    const functions = readCoverage(folder);
    return {
      path,
      distance,
      tookMs,
      covers: (file, offset) =>
        (functions.get(pathToFileURL(file).href) ?? []).some((each) => isRun(each, offset)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** One of a process: all ranges of all functions of a file. */
type ProcessRanges = readonly Range[];

function readCoverage(folder: string): Map<string, ProcessRanges[]> {
  const found = new Map<string, ProcessRanges[]>();
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      result: { url: string; functions: { ranges: Range[] }[] }[];
    };
    for (const { url, functions } of result) {
      if (!url.includes('/packages/') || url.includes('/node_modules/')) continue;
      found.set(url, [...(found.get(url) ?? []), functions.flatMap(({ ranges }) => ranges)]);
    }
  }
  return found;
}

/** The innermost range around a place counts. */
function isRun(ranges: ProcessRanges, offset: number): boolean {
  let innermost: Range | undefined;
  for (const range of ranges) {
    if (range.startOffset > offset || range.endOffset <= offset) continue;
    const size = range.endOffset - range.startOffset;
    if (innermost === undefined || size <= innermost.endOffset - innermost.startOffset) innermost = range;
  }
  return innermost !== undefined && innermost.count > 0;
}
