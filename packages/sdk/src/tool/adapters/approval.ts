import type { Tool } from '../tool.ts';
import type { Arguments } from '../traits.ts';
import { foreignCall } from './foreign-call.ts';
import type { AdaptOptions, ForeignCall, ForeignTool } from './format.ts';
import { catchingStrays } from './stray-errors.ts';
import { DEFAULT_TIMEOUT_MS, withinTime } from './within-time.ts';

/** The gate of the tool, or the one that replaces it. If it does not answer in time, a person has to approve the call. */
export function approvalOf(
  foreign: ForeignTool,
  { needsApproval: own, timeoutMs = DEFAULT_TIMEOUT_MS }: AdaptOptions,
): Pick<Tool<Arguments>, 'needsApproval'> {
  if (own === false || (own === undefined && foreign.needsApproval === undefined)) return {};
  if (own === true) return { needsApproval: () => true };
  return {
    needsApproval: async (args, { callId, signal }) => {
      const timeUp = new AbortController();
      const call = foreignCall(args, { callId, signal, isApproved: false }, timeUp);
      const { promise: failed, reject } = Promise.withResolvers<never>();
      const asking = async () => (own === undefined ? foreignGate(foreign, args, call) : own(call.args));
      const asked = Promise.race([catchingStrays(reject, asking), failed]);
      return Boolean(await withinTime(asked, { timeoutMs, timeUp, interrupt: signal }));
    },
  };
}

async function foreignGate(foreign: ForeignTool, args: Arguments, call: ForeignCall): Promise<boolean> {
  const input = await foreign.schema.check(structuredClone(args));
  return Boolean(await foreign.needsApproval?.(input, call));
}
