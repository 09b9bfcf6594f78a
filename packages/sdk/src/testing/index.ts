/** For testing agents: a model that plays a script, a model server on the loopback, tools without a conversation, and the contracts
 * of the SDK's interfaces. */

export { foldLog } from '../conversation/state/history.ts';
export { saveCheckpoint } from '../conversation/store/checkpoint.ts';
export { type Script, type ScriptedTurn, scriptedLlm } from '../llm/playback/scripted-llm.ts';
export { condenserContract } from './contracts/condenser.ts';
export { eventLogContract, type LogUnderTest } from './contracts/event-log.ts';
export { type ContractAnswer, type LlmUnderTest, llmContract } from './contracts/llm.ts';
export { type WorkspaceUnderTest, workspaceContract } from './contracts/workspace.ts';
export * from './model-server.ts';
export { type ToolResult, type TriedTools, type TryOptions, tryTools } from './try-tools.ts';
