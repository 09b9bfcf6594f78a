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

test('rooms of the command and of the tools are checked, also those within a tool', () => {
  const one = (from: string, statement: string) => faults({ [from]: statement })[0] ?? '';
  assert.match(
    one('packages/cli/src/flags/a.ts', "import type { b } from '../batch/b.ts';"),
    /flags does not stand above batch/,
  );
  assert.match(
    one('packages/cli/src/repository/a.ts', "const b = await import('../run/b.ts');"),
    /repository does not stand above run/,
  );
  assert.match(
    one('packages/tools/src/terminal/a.ts', "import { b } from '../ipython/b.ts';"),
    /terminal does not stand above ipython/,
  );
  assert.match(
    one('packages/tools/src/terminal/output/a.ts', "import { b } from '../shell/b.ts';"),
    /output does not stand above shell/,
  );
  assert.match(one('packages/cli/src/new/a.ts', "import { b } from '../run/b.ts';"), /new is not listed/);
});

test('imports downwards, of types and from tests are allowed', () => {
  assert.deepEqual(
    faults({
      'packages/sdk/src/log/a.ts': "import { b } from '../event/b.ts';",
      'packages/sdk/src/event/b.ts': "import type { a } from './c.ts';",
      'packages/sdk/src/event/c.ts': "import { b } from './b.ts';",
      'packages/sdk/src/event/d.test.ts': "import { b } from '../log/a.ts';",
      'packages/tools/src/terminal/output/a.ts': "import type { b } from '../shell/b.ts';",
      'packages/tools/src/terminal/output/b.ts': "import { b } from '../settings.ts';",
      'packages/cli/src/run/a.ts': "import { b } from '../repository/b.ts';",
      'packages/cli/src/x.ts': "import { y } from '@longhand/sdk/testing';",
    }),
    [],
  );
});
