/**
 * `npm run other-makers [-- FOLDER]`: adapts real tools of the frameworks that are too large to be dependencies of the tests. Installs the
 * packages below in FOLDER if they are not there, or in a temporary folder, and runs what other-makers.int.test.ts and gates.int.test.ts run with tools of the same shape.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { adaptTool } from '@longhand/sdk';
import { tryTools } from '@longhand/sdk/testing';
import { checkMaker, type Make } from '../packages/sdk/test-support/check-maker.ts';

const PACKAGES = [
  ...['@anthropic-ai/sdk@1.12.0', '@llamaindex/core@0.6.22', '@strands-agents/sdk@1.16.0', 'genkit@1.42.0'],
  ...[
    '@agentic/core@8.4.4',
    '@mastra/core@1.71.0',
    '@google/adk@2.0.0',
    '@modelcontextprotocol/sdk@1',
    'zod@4',
  ],
];

type Api = { readonly [name: string]: never } & { readonly tool: (options: object) => object };
type Zod = typeof import('zod');

/** The folder with the packages; one that is named is kept for the next run. */
const [kept] = process.argv.slice(2);
const folder = kept === undefined ? mkdtempSync(join(tmpdir(), 'longhand-other-makers-')) : resolve(kept);

function install(): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  execFileSync('npm', ['install', ...flags, ...PACKAGES], { cwd: folder, stdio: 'inherit' });
}

async function load<T = Api>(name: string): Promise<T> {
  const from = createRequire(join(folder, 'package.json'));
  return (await import(pathToFileURL(from.resolve(name)).href)) as T;
}

/** Prints a line for each framework; the number of those that failed. */
async function check(): Promise<number> {
  let failed = 0;
  for (const [maker, open] of Object.entries(MAKERS)) {
    try {
      const { make, gated } = await open();
      await checkMaker(make, { adaptTool, tryTools }, folder);
      if (gated !== undefined) await checkGate(gated);
      console.log(`ok      ${maker}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${maker}: ${(error as Error).stack}`);
    }
  }
  return failed;
}

/** A tool that needs approval for every call. */
async function checkGate(make: Make): Promise<void> {
  let ran = 0;
  const run = () => {
    ran += 1;
    return 'ran';
  };
  const tried = await tryTools(await adaptTool(make(run)), { folder });
  assert.deepEqual([(await tried.call({ kind: 'x' })).isError, ran], [true, 0]);
  assert.deepEqual([(await tried.call({ kind: 'x' }, { isApproved: true })).isError, ran], [false, 1]);
  await tried.close();
}

interface Maker {
  readonly make: Make;
  readonly gated?: Make;
}

const described = { name: 'web_search', description: 'searches' };
const schemaOf = ({ object, string, number }: Zod) => object({ kind: string(), n: number().default(3) });

const MAKERS: { readonly [maker: string]: () => Promise<Maker> } = {
  "Anthropic's SDK": async () => {
    const { betaZodTool } = await load<{ betaZodTool: (options: object) => object }>(
      '@anthropic-ai/sdk/helpers/beta/zod',
    );
    const inputSchema = schemaOf(await load<Zod>('zod'));
    return { make: (run) => betaZodTool({ ...described, inputSchema, run }) };
  },
  LlamaIndex: async () => {
    const { tool } = await load('@llamaindex/core/tools');
    const parameters = schemaOf(await load<Zod>('zod'));
    return { make: (execute) => tool({ ...described, parameters, execute }) };
  },
  Strands: async () => {
    const { tool } = await load('@strands-agents/sdk');
    const inputSchema = schemaOf(await load<Zod>('zod'));
    return { make: (callback) => tool({ ...described, inputSchema, callback }) };
  },
  Genkit: async () => {
    type Genkit = {
      genkit: (options: object) => { defineTool: (options: object, run: unknown) => object };
      z: Zod;
    };
    const { genkit, z } = await load<Genkit>('genkit');
    const inputSchema = schemaOf(z);
    const make: Make = (run) =>
      genkit({}).defineTool({ ...described, inputSchema, outputSchema: z.any() }, run);
    return { make };
  },
  agentic: async () => {
    type Agentic = { createAIFunction: (options: object, run: unknown) => object };
    const { createAIFunction } = await load<Agentic>('@agentic/core');
    const inputSchema = schemaOf(await load<Zod>('zod'));
    return { make: (run) => createAIFunction({ ...described, inputSchema }, run) };
  },
  Mastra: async () => {
    const { createTool } = await load<{ createTool: (options: object) => object }>('@mastra/core/tools');
    const options = {
      id: 'web_search',
      description: 'searches',
      inputSchema: schemaOf(await load<Zod>('zod')),
    };
    return {
      make: (run) => createTool({ ...options, execute: async (input: never) => run(input) }),
      gated: (run) =>
        createTool({ ...options, requireApproval: true, execute: async (input: never) => run(input) }),
    };
  },
  "Google's ADK": async () => {
    const { FunctionTool } = await load<{ FunctionTool: new (options: object) => object }>('@google/adk');
    const options = { ...described, parameters: schemaOf(await load<Zod>('zod')) };
    return {
      make: (execute) => new FunctionTool({ ...options, execute }),
      gated: (execute) => new FunctionTool({ ...options, requireConfirmation: true, execute }),
    };
  },
};

try {
  if (!existsSync(join(folder, 'node_modules'))) install();
  process.exitCode = (await check()) === 0 ? 0 : 1;
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}
// Some of the packages leave timers behind.
process.exit();
