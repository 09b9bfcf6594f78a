/** The tarballs that are published, installed by npm into an empty project and used as a stranger would use them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { EXTERNAL } from './bundle.ts';
import { startLocalRegistry } from './local-registry.ts';
import { noticedPackages } from './third-party.ts';

const root = resolve(import.meta.dirname, '..');
const place = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-package-')));
const project = join(place, 'project');
const tarballs = join(place, 'tarballs');
/** Nothing of this clone: neither its settings of npm nor its node_modules. */
const env = { PATH: `${resolve(process.execPath, '..')}:${process.env['PATH']}`, HOME: place };

async function run(file: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args, { cwd: project, env });
  return stdout;
}

function write(path: string, text: string): string {
  writeFileSync(join(project, path), text);
  return path;
}

function tarball(name: string): Uint8Array<ArrayBuffer> {
  const file = readdirSync(tarballs).find(
    (each) => each.startsWith(`${name}-0`) || each.startsWith(`${name}-1`),
  );
  return new Uint8Array(readFileSync(join(tarballs, file ?? '')));
}

before(async () => {
  for (const folder of [project, tarballs]) mkdirSync(folder);
  await promisify(execFile)(process.execPath, ['scripts/build.ts'], { cwd: root, env });
  const workspaces = ['sdk', 'tools', 'cli'].map((name) => `--workspace=packages/${name}`);
  const pack = ['pack', '--ignore-scripts', `--pack-destination=${tarballs}`, ...workspaces];
  await promisify(execFile)('npm', pack, { cwd: root, env });
  write('package.json', '{ "private": true, "type": "module" }');
  const registry = await startLocalRegistry(root);
  try {
    const packed = readdirSync(tarballs).map((file) => join(tarballs, file));
    await run('npm', 'install', '--ignore-scripts', `--registry=${registry.url}`, '@types/node', ...packed);
  } finally {
    registry.close();
  }
});
after(() => rmSync(place, { recursive: true, force: true }));

test('npx runs the command, which finds its prompts, its tools and the packages outside its bundle', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as {
    version: string;
  };
  assert.equal(await run('npx', '--offline', 'longhand', '--version'), `${version}\n`);
  const command = 'node_modules/.bin/longhand';
  assert.match(await run(command, 'demo'), /^finished after /m);
  assert.match(await run(command, 'prompt', '--model', 'openai/gpt-5'), /role\.j2|terminal/);
});

test('the command brings the licences of what is bundled into it, and declares what is not', () => {
  const folder = join(project, 'node_modules/longhand');
  const notices = readFileSync(join(folder, 'THIRD-PARTY.txt'), 'utf8');
  for (const name of ['zod', 'ajv', '@ai-sdk/anthropic'])
    assert.ok(noticedPackages(notices).includes(name), name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    [group in 'dependencies' | 'optionalDependencies' | 'peerDependencies']: object;
  };
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  const declared = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  assert.deepEqual(declared.sort(), EXTERNAL.filter((name) => name.split('/').length < 3).sort());
  for (const name of ['longhand', '@longhand/sdk', '@longhand/tools'])
    assert.match(readFileSync(join(project, 'node_modules', name, 'LICENSE'), 'utf8'), /^MIT License/);
});

test('a program runs an agent by the sdk, with a tool and a scripted model', async () => {
  const program = write(
    'agent.js',
    `import { openLocalWorkspace, Conversation } from '@longhand/sdk';
    import { scriptedLlm } from '@longhand/sdk/testing';
    import { builtinTools } from '@longhand/tools';
    const llm = scriptedLlm({ turns: [
      { tool_calls: [{ name: 'terminal', arguments: { command: 'echo $((6 * 7))' } }] },
      { tool_calls: [{ name: 'finish', arguments: { message: 'done' } }] },
    ] });
    const tools = ['terminal', 'finish'].map((name) => ({ name, params: {} }));
    const conversation = await Conversation.open({
      agent: { llm: { model: 'scripted' }, tools }, model: { llm }, tools: builtinTools, workspace: openLocalWorkspace('.'), place: { conversationsDir: 'conversations' },
    });
    conversation.subscribe({ onEvent: (event) => console.log(event.kind, JSON.stringify(event.observation ?? '')) });
    await conversation.send('work');
    console.log(await conversation.run());
    await conversation.close();`,
  );
  const said = await run('node', program);
  assert.match(said, /^ObservationEvent .*42/m);
  assert.match(said, /finished/);
});

const USER = `import { Conversation, defineTool, openLocalWorkspace, type Event } from '@longhand/sdk';
import { scriptedLlm } from '@longhand/sdk/testing';
import { builtinTools } from '@longhand/tools';

export async function kinds(): Promise<readonly Event['kind'][]> {
  const conversation = await Conversation.open({
    agent: { llm: { model: 'scripted' }, tools: [] },
    model: { llm: scriptedLlm({ turns: [{ text: 'hello' }] }) },
    tools: builtinTools,
    workspace: openLocalWorkspace('.'),
  });
  const found: Event['kind'][] = [];
  conversation.subscribe({ onEvent: (event) => found.push(event.kind) });
  return found;
}
// @ts-expect-error: a type that is lost would accept everything
export const tool = defineTool({ name: 1 });
`;

function readmeExample(name: string): string {
  const readme = readFileSync(join(project, 'node_modules/@longhand', name, 'README.md'), 'utf8');
  return write(`readme-${name}.ts`, /```ts\n(.*?)```/s.exec(readme)?.[1] ?? 'no example');
}

/** The declarations of dependencies are checked as well, but once by the slower compiler. */
const COMPILATIONS = [
  { compiler: 'TypeScript 5', module: 'node16', resolution: 'node16', more: [] },
  { compiler: 'TypeScript 5', module: 'esnext', resolution: 'bundler', more: ['--skipLibCheck'] },
  { compiler: 'TypeScript 7', module: 'node16', resolution: 'node16', more: [] },
  { compiler: 'TypeScript 7', module: 'esnext', resolution: 'bundler', more: [] },
];
for (const { compiler, module, resolution, more } of COMPILATIONS)
  test(`a user's file and the READMEs' examples type-check with ${compiler} and ${resolution} resolution`, async () => {
    const modules = compiler === 'TypeScript 5' ? 'scripts/api/node_modules' : 'node_modules';
    const tsc = resolve(root, modules, 'typescript/bin/tsc');
    const files = [write('user.ts', USER), ...['sdk', 'tools'].map(readmeExample)];
    const strict = [
      '--strict',
      '--exactOptionalPropertyTypes',
      '--target',
      'es2022',
      '--types',
      'node',
      ...more,
    ];
    const kind = ['--noEmit', '--module', module, '--moduleResolution', resolution];
    await run('node', tsc, ...strict, ...kind, ...files).catch((error: { stdout?: string }) =>
      assert.fail(error.stdout),
    );
  });

for (const name of ['longhand', 'longhand-sdk', 'longhand-tools']) {
  test(`publint finds no fault in ${name}`, async () => {
    const { messages, pkg } = await publint({ pack: { tarball: tarball(name).buffer }, strict: true });
    assert.deepEqual(
      messages.map((each) => formatMessage(each, pkg)),
      [],
    );
  });
  if (name === 'longhand') continue;
  test(`the types of ${name} resolve wherever ES modules do`, async () => {
    const result = await checkPackage(createPackageFromTarballData(tarball(name)));
    assert.ok(result.types !== false);
    // The packages are ES modules only: resolution of before 'exports', and 'require' without ES modules, are not for them.
    const faults = result.problems.filter(
      (each) =>
        !('resolutionKind' in each && each.resolutionKind === 'node10') && each.kind !== 'CJSResolvesToESM',
    );
    assert.deepEqual(faults, []);
  });
}
