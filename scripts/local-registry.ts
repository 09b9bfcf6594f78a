/**
 * An npm registry on the loopback that serves the packages of this clone's node_modules, so that a test can run the
 * ordinary `npm install` without a network: what a package does not declare, the client does not install.
 */
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

interface Installed {
  readonly folder: string;
  readonly manifest: { readonly name: string; readonly version: string };
}

export interface LocalRegistry {
  readonly url: string;
  close(): void;
}

/** Serves every version of every package installed below `root`, and no others. */
export async function startLocalRegistry(root: string): Promise<LocalRegistry> {
  const packages = installedPackages(root);
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    const [name = '', version] = path.split('/-/');
    const found = packages.filter(({ manifest }) => manifest.name === name);
    const one = found.find(({ manifest }) => manifest.version === version);
    if (one !== undefined) sendArchive(one.folder, response);
    else if (found.length > 0 && version === undefined)
      response.end(JSON.stringify(listing(name, found, `http://${request.headers.host}`)));
    else response.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function installedPackages(root: string): Installed[] {
  const roots = globSync('{,packages/*/,scripts/*/}node_modules', { cwd: root });
  const files = roots.flatMap((folder) =>
    globSync('{,**/node_modules/}{[!@.]*,@*/*}/package.json', { cwd: join(root, folder) }).map((file) =>
      join(root, folder, file),
    ),
  );
  return files.flatMap((file) => {
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Partial<Installed['manifest']>;
    const { name, version } = manifest;
    if (name === undefined || version === undefined || name.startsWith('@longhand/')) return [];
    return [{ folder: dirname(file), manifest: { ...manifest, name, version } }];
  });
}

function listing(name: string, found: readonly Installed[], origin: string): object {
  const versions = found.map(({ manifest }) => {
    const tarball = `${origin}/${name}/-/${manifest.version}`;
    return [manifest.version, { ...manifest, dist: { tarball } }] as const;
  });
  const [newest] = versions
    .map(([version]) => version)
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  return { name, 'dist-tags': { latest: newest }, versions: Object.fromEntries(versions) };
}

function sendArchive(folder: string, response: ServerResponse): void {
  const options = ['--exclude=./node_modules', '--transform=s,^\\.,package,'];
  const tar = spawn('tar', ['-c', ...options, '-C', folder, '.'], { stdio: ['ignore', 'pipe', 'pipe'] });
  tar.stdout.pipe(response);
  void text(tar.stderr).then((complaint) => complaint !== '' && response.destroy(new Error(complaint)));
}
