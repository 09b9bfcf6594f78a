/**
 * `npm run release -- 0.2.0`: gives all packages the version, turns the changelog's "Unreleased" into it, builds, and packs
 * the tarballs into `release/`. It prints the commands that publish them and never runs these.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** In the order of publishing: a package comes after those that it depends on. */
const PACKAGES = ['sdk', 'tools', 'cli'] as const;
const GROUPS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;

type Manifest = { version?: string } & { [group in (typeof GROUPS)[number]]?: { [name: string]: string } };

/** Writes the version into the manifests, the lock, the changelog and the command below `root`. Throws before it writes anything. */
export function setVersion(root: string, version: string, today: string): void {
  const changelog = releasedChangelog(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version, today);
  const manifests = PACKAGES.map((name) => {
    const path = join(root, 'packages', name, 'package.json');
    return [path, withVersion(readJson<Manifest>(path), version)] as const;
  });
  const lockPath = join(root, 'package-lock.json');
  const lock = readJson<{ packages: { [path: string]: Manifest } }>(lockPath);
  for (const name of PACKAGES) {
    const path = `packages/${name}`;
    lock.packages[path] = withVersion(lock.packages[path] ?? {}, version);
  }
  for (const [path, json] of [...manifests, [lockPath, lock] as const])
    writeFileSync(path, `${JSON.stringify(json, null, 2)}\n`);
  writeFileSync(join(root, 'CHANGELOG.md'), changelog);
  for (const name of ['cli', 'sdk']) {
    const source = join(root, `packages/${name}/src/version.ts`);
    writeFileSync(source, readFileSync(source, 'utf8').replace(/'[^']*'/, `'${version}'`));
  }
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}

/** Our packages ask for exactly each other's version. */
function withVersion(manifest: Manifest, version: string): Manifest {
  const groups = GROUPS.flatMap((group) => {
    const ranges = Object.entries(manifest[group] ?? {});
    const changed = ranges.map(([name, range]) => [name, name.startsWith('@longhand/') ? version : range]);
    return manifest[group] === undefined ? [] : [[group, Object.fromEntries(changed)] as const];
  });
  return { ...manifest, version, ...Object.fromEntries(groups) };
}

/** The changelog with what was unreleased under the version and its date, and an empty "Unreleased" above it. */
export function releasedChangelog(changelog: string, version: string, today: string): string {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    throw new Error(`"${version}" is no version, such as 0.2.0`);
  if (changelog.includes(`\n## ${version} `))
    throw new Error(`CHANGELOG.md already has a version ${version}`);
  const unreleased = /^## Unreleased\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(changelog)?.[1]?.trim();
  if (!unreleased) throw new Error('CHANGELOG.md has nothing under "## Unreleased"');
  return changelog.replace('## Unreleased\n', `## Unreleased\n\n## ${version} (${today})\n`);
}

function run(root: string, ...argv: readonly string[]): void {
  const [file = '', ...args] = argv;
  const { status } = spawnSync(file, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${argv.join(' ')} failed`);
}

function release(root: string, version: string): void {
  setVersion(root, version, new Date().toISOString().slice(0, 10));
  const folder = join(root, 'release');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const name of PACKAGES)
    run(root, 'npm', 'pack', `--workspace=packages/${name}`, `--pack-destination=${folder}`);
  console.log(`\nCheck the tarballs in release/, then:
  git commit -am "Release ${version}" && git tag v${version}
  npm publish --access public release/longhand-sdk-${version}.tgz
  npm publish --access public release/longhand-tools-${version}.tgz
  npm publish --access public release/longhand-${version}.tgz`);
}

if (import.meta.main) release(resolve(import.meta.dirname, '..'), process.argv[2] ?? '');
