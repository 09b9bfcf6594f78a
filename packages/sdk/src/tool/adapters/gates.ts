/**
 * Approval gates that no format knows. A tool of another framework may say, in a field of its own, that a person has to approve its calls.
 * Only the formats that know such a field can honour it; every other tool with one is refused, since running it would bypass the gate.
 */
import { isRecord } from '../../value/is-record.ts';
import type { Foreign, Format } from './format.ts';

/** Names of fields that speak of asking a person. */
const GATE = /approv|confirm|consent|permi(t|ssion)|interrupt|authori[sz]|suspend|guardrail|elicit|human/i;

/** Fields in which frameworks keep more fields. */
const NESTED = ['options', 'config', 'metadata', 'meta', '_meta', 'annotations', 'extras'];

/** Throws an Error that names the field, if the tool has a gate that the format does not know. */
export function refuseUnknownGates(tool: Foreign, { gates = [] }: Pick<Format, 'gates'>): void {
  const nested = NESTED.filter((name) => isRecord(tool[name]));
  const found = [
    ...gatesIn(tool).filter((name) => !gates.includes(name)),
    ...nested.flatMap((name) => gatesIn(tool[name] as Foreign).map((inner) => `${name}.${inner}`)),
  ];
  if (found.length === 0) return;
  throw new Error(
    `its field ${found.map((name) => `"${name}"`).join(', ')} reads like an approval gate that is not known here. ` +
      'State with the option needsApproval whether a person has to approve its calls: true, false, or a function of the arguments',
  );
}

function gatesIn(tool: Foreign): readonly string[] {
  return fieldsOf(tool).filter((name) => GATE.test(name) && isSet(tool[name]));
}

/** The names of the fields and accessors of an object. Methods of its class are behaviour, not gates. */
function fieldsOf(tool: object): readonly string[] {
  const own = Object.getOwnPropertyNames(tool);
  const inherited: string[] = [];
  for (let of = Object.getPrototypeOf(tool); of !== null && !isCommon(of); of = Object.getPrototypeOf(of)) {
    const members = Object.entries(Object.getOwnPropertyDescriptors(of));
    inherited.push(...members.filter(([, { value }]) => typeof value !== 'function').map(([name]) => name));
  }
  return [...new Set([...own, ...inherited])];
}

function isCommon(prototype: object): boolean {
  return prototype === Object.prototype || prototype === Function.prototype;
}

function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false && value !== 'never';
}
