/** For those who test agents: a model that plays a script, and a model endpoint on the loopback. */

export { foldLog } from '../conversation/state/history.ts';
export { saveCheckpoint } from '../conversation/store/checkpoint.ts';
export { type Script, type ScriptedTurn, scriptedLlm } from '../llm/playback/scripted-llm.ts';
export * from './model-server.ts';
export { type ToolResult, type TriedTools, type TryOptions, tryTools } from './try-tools.ts';
