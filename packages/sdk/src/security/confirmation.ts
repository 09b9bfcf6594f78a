import type { ActionEvent, Risk } from '../event/kinds.ts';

/** When a person has to approve an action before it is executed, in the reference's wire form. */
export type ConfirmationPolicy =
  | { readonly kind: 'NeverConfirm' }
  | { readonly kind: 'AlwaysConfirm' }
  | {
      readonly threshold: Exclude<Risk, 'UNKNOWN'>;
      readonly confirm_unknown: boolean;
      readonly kind: 'ConfirmRisky';
    };

export const NEVER_CONFIRM: ConfirmationPolicy = { kind: 'NeverConfirm' };

export const ALWAYS_CONFIRM: ConfirmationPolicy = { kind: 'AlwaysConfirm' };

/**
 * The policy in its wire form, as `base_state.json` stores it; undefined if there is none. One that this version does not know becomes
 * `AlwaysConfirm`: asking too often is safer than not asking.
 */
export function confirmationFromWire(json: unknown): ConfirmationPolicy | undefined {
  if (json === undefined || json === null) return undefined;
  const { kind, threshold = 'HIGH', confirm_unknown = true } = json as { readonly [key: string]: unknown };
  if (kind === 'NeverConfirm') return NEVER_CONFIRM;
  if (kind !== 'ConfirmRisky' || typeof confirm_unknown !== 'boolean' || !isThreshold(threshold))
    return ALWAYS_CONFIRM;
  return { threshold, confirm_unknown, kind };
}

function isThreshold(value: unknown): value is keyof typeof RANK {
  return typeof value === 'string' && Object.hasOwn(RANK, value);
}

const RANK = { LOW: 1, MEDIUM: 2, HIGH: 3 } as const;

/** Finishing or thinking changes nothing, so it needs no approval when it is the only call. */
const HARMLESS_ALONE = new Set(['FinishAction', 'ThinkAction']);

/** Whether a person has to approve these actions of one turn. Calls that were not valid have no action and do not count. */
export function needsConfirmation(policy: ConfirmationPolicy, actions: readonly ActionEvent[]): boolean {
  const executable = actions.filter((event) => event.action !== undefined);
  const isHarmless = executable.every((event) => HARMLESS_ALONE.has(event.action?.kind ?? ''));
  if (executable.length === 1 && isHarmless) return false;
  return executable.some((event) => confirms(policy, event.security_risk ?? 'UNKNOWN'));
}

/** Whether the policy depends on the risk that the model states. */
export function dependsOnRisk({ kind }: ConfirmationPolicy): boolean {
  return kind === 'ConfirmRisky';
}

function confirms(policy: ConfirmationPolicy, risk: Risk): boolean {
  switch (policy.kind) {
    case 'NeverConfirm':
      return false;
    case 'AlwaysConfirm':
      return true;
    case 'ConfirmRisky':
      return risk === 'UNKNOWN' ? policy.confirm_unknown : RANK[risk] >= RANK[policy.threshold];
  }
}
