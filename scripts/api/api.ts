/**
 * `npm run api`: the API reference, made of the doc comments of the public names, as Markdown in `api`. Fails
 * if a public name has no doc comment; `-- --check` only looks for these.
 */
import { resolve } from 'node:path';
import { Application, type DeclarationReflection, ReferenceReflection } from 'typedoc';

const root = resolve(import.meta.dirname, '../..');
const ENTRY_POINTS = ['sdk/src/index.ts', 'sdk/src/testing/index.ts', 'tools/src/index.ts'];

interface Api {
  /** As `Name in file`. */
  readonly undocumented: readonly string[];
  write(folder: string): Promise<void>;
}

/** Reads the public names of some modules. Throws if a module cannot be read. */
export async function readApi(entryPoints: readonly string[], tsconfig: string): Promise<Api> {
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: [...entryPoints],
    tsconfig,
    name: 'Longhand',
    readme: 'none',
    disableGit: true,
    sourceLinkTemplate: '../{path}',
    skipErrorChecking: true,
    excludeInternal: true,
    validation: { notExported: false, invalidLink: false, notDocumented: false },
    logLevel: 'Error',
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc could not read the sources');
  const single = entryPoints.length === 1;
  const names = single ? project.children : project.children?.flatMap(({ children }) => children ?? []);
  return {
    undocumented: (names ?? []).filter((name) => !hasComment(name)).map(placeOf),
    write: (folder) => app.outputs.writeOutput({ name: 'markdown', path: folder }, project),
  };
}

/** A function's comments are those of its signatures. */
function hasComment(name: DeclarationReflection): boolean {
  const target = name instanceof ReferenceReflection ? name.getTargetReflectionDeep() : name;
  const { signatures } = target as DeclarationReflection;
  return target.hasComment() || (signatures?.some((each) => each.hasComment()) ?? false);
}

function placeOf(name: DeclarationReflection): string {
  return `${name.name} in ${name.sources?.[0]?.fileName ?? name.parent?.name ?? 'a module'}`;
}

if (import.meta.main) {
  const entryPoints = ENTRY_POINTS.map((path) => resolve(root, 'packages', path));
  const api = await readApi(entryPoints, resolve(import.meta.dirname, 'tsconfig.json'));
  for (const name of api.undocumented) console.error(`no doc comment: ${name}`);
  if (api.undocumented.length > 0) process.exitCode = 1;
  if (!process.argv.includes('--check')) await api.write(resolve(root, 'api'));
}
