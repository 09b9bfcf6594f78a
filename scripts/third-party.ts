/** The licences of the packages whose code is part of a bundle. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name?: string };
}

/** One section for each package from which a bundle took code; `inputs` are the paths of its modules. */
export function thirdPartyNotices(inputs: readonly string[]): string {
  const folders = new Set(inputs.flatMap((input) => packageFolder(input) ?? []));
  const sections = [...folders].sort().map(section);
  return [
    'The command includes code of the packages below, under their licences.',
    ...new Set(sections),
    '',
  ].join(`\n\n${'-'.repeat(80)}\n\n`);
}

/** `a/node_modules/@scope/name/dist/x.js` becomes `a/node_modules/@scope/name`. */
export function packageFolder(input: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0];
}

function section(folder: string): string {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Manifest;
  if (license === undefined) throw new Error(`${name} names no licence, so it must not be bundled`);
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const owner = typeof author === 'object' ? author.name : author;
  const copyright = owner === undefined ? [] : [`Copyright (c) ${owner}`];
  return [`${name} ${version}, ${license}`, ...(texts.length > 0 ? texts : copyright)].join('\n\n');
}

/** The packages that the notices speak of. */
export function noticedPackages(notices: string): string[] {
  return [...notices.matchAll(/^-{80}\n\n(\S+) /gm)].map(([, name = '']) => name);
}
