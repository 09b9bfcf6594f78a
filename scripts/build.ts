/**
 * `npm run build`: makes what the packages publish. `node scripts/build.ts tools` makes one package, and those that it
 * imports. The libraries are compiled file by file, the command is bundled.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copyAssets } from './assets.ts';
import { bundle } from './bundle.ts';
import { thirdPartyNotices } from './third-party.ts';

const root = resolve(import.meta.dirname, '..');

/** In order: tools are compiled against the declarations of the sdk. */
const PACKAGES = { sdk: compile, tools: compile, cli: bundleCommand };

async function compile(name: string): Promise<void> {
  const folder = join(root, 'packages', name);
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', join(folder, 'tsconfig.build.json')], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`packages/${name} does not compile`);
  copyAssets(name, join(folder, 'dist'));
}

async function bundleCommand(): Promise<void> {
  const folder = join(root, 'packages/cli');
  const modules = await bundle(join(folder, 'dist'));
  const packages = modules.map((path) => resolve(root, path));
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), thirdPartyNotices(packages));
}

const wanted = process.argv[2];
for (const [name, make] of Object.entries(PACKAGES)) {
  if (wanted !== undefined && wanted !== name && !(wanted === 'tools' && name === 'sdk')) continue;
  await make(name);
  cpSync(join(root, 'LICENSE'), join(root, 'packages', name, 'LICENSE'));
}
