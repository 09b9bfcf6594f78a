import { LLMError } from '../errors.ts';
import type { LLM } from '../llm.ts';

const REFUSED =
  /does not support (tools|function)|tools? (is|are) not supported|tool calling is not supported|enable-auto-tool-choice|tool use is not supported|no endpoints found that support tool use/i;

/** When an endpoint refuses tools, they are described in the prompt from then on. */
export function withToolRefusal(native: LLM, toPrompted: () => Promise<LLM>): LLM {
  let refused: LLM | null = null;
  return {
    ...native,
    complete: async (prompt, options) => {
      if (refused !== null) return await refused.complete(prompt, options);
      try {
        return await native.complete(prompt, options);
      } catch (error) {
        const isRefusal =
          error instanceof LLMError && error.code === 'LLMBadRequestError' && REFUSED.test(error.message);
        if (!isRefusal || prompt.tools.length === 0) throw error;
        refused = await toPrompted();
        options.onNote?.(
          `${native.model.name} does not accept tools: they are described in the prompt from now on (native_tool_calling = false does so from the start)`,
        );
        return await refused.complete(prompt, options);
      }
    },
  };
}
