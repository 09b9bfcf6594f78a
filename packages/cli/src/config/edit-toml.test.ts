import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withKey } from './edit-toml.ts';

const CASES: { readonly [what: string]: readonly [before: string, line: string | undefined, after: string] } =
  {
    'an empty file': ['', 'model = "b"', '[llm]\nmodel = "b"\n'],
    'a file without the section': ['[core]\nx = 1\n', 'model = "b"', '[core]\nx = 1\n\n[llm]\nmodel = "b"\n'],
    'a section without the key': [
      '[llm] # mine\n# kept\n[x]\nmodel = "x"\n',
      'model = "b"',
      '[llm] # mine\nmodel = "b"\n# kept\n[x]\nmodel = "x"\n',
    ],
    'a key that is there': [
      '[llm]\n\n"model" = "a" # old\ntop_p = 1\n',
      'model = "b"',
      '[llm]\n\nmodel = "b"\ntop_p = 1\n',
    ],
    'the same key of another section': [
      '[llm.fast]\nmodel = "a"\n',
      'model = "b"',
      '[llm.fast]\nmodel = "a"\n\n[llm]\nmodel = "b"\n',
    ],
    'a key that is removed': ['[llm]\nmodel = "a"\ntop_p = 1\n', undefined, '[llm]\ntop_p = 1\n'],
    'a key that is not there to remove': ['[core]\n', undefined, '[core]\n'],
  };

for (const [what, [before, line, after]] of Object.entries(CASES))
  test(`one key of a TOML file is changed and nothing else: ${what}`, () => {
    assert.equal(withKey(before, 'llm', 'model', line), after);
  });
