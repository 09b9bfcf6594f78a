import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf } from './check-imports.ts';

const faults = (sources: { [path: string]: string }) => faultsOf(new Map(Object.entries(sources)));

test('an import upwards, one across packages and a circle are found', () => {
  assert.match(
    faults({ 'packages/sdk/src/event/a.ts': "import { b } from '../log/b.ts';" })[0] ?? '',
    /event does not stand above log/,
  );
  assert.match(
    faults({ 'packages/sdk/src/event/a.ts': "import { b } from '@longhand/tools';" })[0] ?? '',
    /must not import/,
  );
  const circle = {
    'packages/cli/src/a.ts': "import { b } from './b.ts';",
    'packages/cli/src/b.ts': "import {\n  a,\n} from './a.ts';",
  };
  assert.match(faults(circle)[0] ?? '', /a circle/);
});

test('imports downwards, of types and from tests are well', () => {
  assert.deepEqual(
    faults({
      'packages/sdk/src/log/a.ts': "import { b } from '../event/b.ts';",
      'packages/sdk/src/event/b.ts': "import type { a } from './c.ts';",
      'packages/sdk/src/event/c.ts': "import { b } from './b.ts';",
      'packages/sdk/src/event/d.test.ts': "import { b } from '../log/a.ts';",
      'packages/cli/src/x.ts': "import { y } from '@longhand/sdk/testing';",
    }),
    [],
  );
});
