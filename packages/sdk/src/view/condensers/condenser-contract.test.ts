import { condenserContract } from '../../testing/contracts/condenser.ts';
import { CONDENSER_TYPES, type CondenserSpec, createCondenser } from './spec.ts';

for (const type of CONDENSER_TYPES) {
  const spec = type === 'pipeline' ? { type, condensers: [{ type: 'noop' }, { type: 'llm' }] } : { type };
  condenserContract(type, () => createCondenser(spec as CondenserSpec));
}
condenserContract('llm of a small size', () => createCondenser({ type: 'llm', maxSize: 20 }));
condenserContract('amortized of a small size', () =>
  createCondenser({ type: 'amortized', maxSize: 20, keepFirst: 1 }),
);
condenserContract('recent of a small size', () =>
  createCondenser({ type: 'recent', keepFirst: 1, maxEvents: 7 }),
);
