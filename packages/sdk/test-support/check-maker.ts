/** What holds for a tool of every other framework, however it was made. */
import assert from 'node:assert/strict';
import type { tryTools } from '../src/testing/try-tools.ts';
import type { adaptTool } from '../src/tool/adapters/adapt-tool.ts';

/** Makes the tool `web_search` with the parameters `kind`, a text, and `n`, a number that is 3 by default. */
export type Make = (run: (input: Input) => unknown) => object;
export interface Input {
  readonly kind: string;
  readonly n?: number;
}
/** The functions of the SDK, from its source or as it is installed. */
export interface Sdk {
  readonly adaptTool: typeof adaptTool;
  readonly tryTools: typeof tryTools;
}

/** Fails if a tool of this make does not work when it is adapted. */
export async function checkMaker(make: Make, { adaptTool, tryTools }: Sdk, folder: string): Promise<void> {
  const given: Input[] = [];
  const run = (input: Input) => {
    if (input.kind === 'fail') throw new TypeError('the index is gone');
    given.push(input);
    return `found ${input.kind}`;
  };
  const factory = await adaptTool(make(run));
  const tried = await tryTools(factory, { folder });
  try {
    const [tool] = tried.tools;
    assert.deepEqual([factory.name, tool?.name, tool?.description], ['web_search', 'web_search', 'searches']);
    const found = await tried.call({ kind: 'search', n: 5 });
    assert.deepEqual(
      [found.said, found.isError, { ...given[0] }],
      ['found search', false, { kind: 'search', n: 5 }],
    );
    assert.equal(found.observation?.kind, 'WebSearchObservation');
    assert.equal((await tried.call({ kind: 'search' })).said, 'found search');
    assert.equal(given[1]?.n ?? 3, 3);
    const wrong = await tried.call({ kind: 55 });
    assert.equal(wrong.isError, true);
    assert.match(wrong.said, /^The arguments of web_search are not valid \(given: kind\)\. .*kind/);
    assert.doesNotMatch(wrong.said, /55/);
    const failed = await tried.call({ kind: 'fail' });
    assert.equal(failed.isError, true);
    assert.match(failed.said, /the index is gone/);
    assert.equal(given.length, 2);
  } finally {
    await tried.close();
  }
}
