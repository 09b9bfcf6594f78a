import { thawed } from '../event/freeze.ts';
import type { EventId } from '../event/identity.ts';
import type { ActionEvent } from '../event/kinds.ts';
import { inputOf } from '../tool/input-of.ts';
import type { ToolSet } from '../tool/tool-set.ts';

/** Whether each of the actions needs a person's approval, by its id. */
export type Approvals = ReadonlyMap<EventId, boolean>;

export interface ApprovalDeps {
  readonly tools: Pick<ToolSet, 'get'>;
  /** Whether the tool has changed, and a person has to approve its next call. */
  readonly awaitsConsent: (toolName: string) => boolean;
  readonly signal: AbortSignal;
}

/** Asks the tools whether the calls need a person's approval. A check that throws counts as yes. */
export async function checkApproval(actions: readonly ActionEvent[], deps: ApprovalDeps): Promise<Approvals> {
  const checked = await Promise.all(
    actions.map(async (action) => [action.id, await needsApproval(action, deps)] as const),
  );
  return new Map(checked);
}

async function needsApproval(event: ActionEvent, deps: ApprovalDeps): Promise<boolean> {
  const { tools, signal, awaitsConsent } = deps;
  if (event.action !== undefined && awaitsConsent(event.tool_name)) return true;
  const tool = tools.get(event.tool_name);
  if (tool?.needsApproval === undefined || event.action === undefined) return false;
  try {
    const input = thawed(inputOf(tool, event.action));
    return (await tool.needsApproval(input, { callId: event.tool_call_id, signal })) !== false;
  } catch {
    return true;
  }
}
