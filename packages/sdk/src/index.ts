/** The engine of Longhand. A name that is added or removed here changes docs/reference/sdk-surface.txt too. */
export type { Agent, ToolSpec } from './agent/agent.ts';
export {
  type AgentDefinition,
  loadAgentDefinitions,
  parseAgentDefinition,
  specialise,
} from './agent/definition.ts';
export type { AgentContext } from './context/agent-context.ts';
export { type McpConfig, parseMcpConfig } from './context/mcp-config.ts';
export { parseSkill, type Skill } from './context/skill.ts';
export { Conversation } from './conversation/conversation.ts';
export { type ControlState, controlStateOf } from './conversation/headless/control-state.ts';
export { EventStream } from './conversation/headless/event-stream.ts';
export { type HeadlessConfig, type HeadlessResult, runHeadless } from './conversation/headless/headless.ts';
export { type HookConfig, parseHookConfig } from './conversation/hooks/hook-config.ts';
export { MessageRefused } from './conversation/inbox.ts';
export type { OpenOptions } from './conversation/open-options.ts';
export { type ReplayReport, replay } from './conversation/replay/replay.ts';
export { storedReplaySource } from './conversation/replay/replay-source.ts';
export type { Listener } from './conversation/run/recorder.ts';
export { judgeStuck, type StuckVerdict } from './conversation/run/stuck.ts';
export type { State } from './conversation/state/state.ts';
export type { Notice, Outcome, Status } from './conversation/state/status.ts';
export { forkDirectory } from './conversation/store/fork.ts';
export {
  type ConversationSummary,
  listConversations,
  readConversation,
  type StoredConversation,
} from './conversation/store/read.ts';
export { EventFormatError, parseEvent, serializeEvent } from './event/codec.ts';
export { type Content, image, text, textOf } from './event/content.ts';
export type { Draft } from './event/draft.ts';
export { defineEventKind, type EventKindDefinition, type EventKindOf } from './event/event-kind.ts';
export type { Observation } from './event/kinds/result.ts';
export {
  type ActionEvent,
  type Condensation,
  type Event,
  type EventKind,
  type EventOf,
  isResult,
  type MessageEvent,
  type ObservationEvent,
  showEvent,
} from './event/kinds.ts';
export type { Message } from './event/message.ts';
export type { Stats } from './llm/accounts/metrics.ts';
export type { LlmConfig } from './llm/config/llm-config.ts';
export { createLlm } from './llm/create-llm.ts';
export { LLMError } from './llm/errors.ts';
export { fromLanguageModel } from './llm/language-model.ts';
export { withFallback } from './llm/layer/fallback.ts';
export { routeByRules, withRouter } from './llm/layer/router.ts';
export type { CompleteOptions, Completion, LLM, ModelInfo, Prompt } from './llm/llm.ts';
export { recording, replaying } from './llm/playback/cassette.ts';
export { fromPrompted, toPrompted } from './llm/prompted/convert.ts';
export type { EventLog, ReadableLog } from './log/event-log.ts';
export { FileEventLog } from './log/file-event-log.ts';
export { LogError } from './log/log-error.ts';
export { MemoryEventLog } from './log/memory-event-log.ts';
export type { ConfirmationPolicy } from './security/confirmation.ts';
export { adaptAction } from './tool/adapters/action.ts';
export { adaptTool, adaptTools } from './tool/adapters/adapt-tool.ts';
export { adaptExecutor } from './tool/adapters/executor.ts';
export { adaptObservation } from './tool/adapters/observation.ts';
export type { ConversationFiles } from './tool/conversation-files.ts';
export { defineTool, type ToolDefinition } from './tool/define-tool.ts';
export { jsonSchemaInput } from './tool/json-schema-input.ts';
export { shownCall, shownResult } from './tool/show.ts';
export {
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  type ToolEnvironment,
  ToolError,
  type ToolFactory,
} from './tool/tool.ts';
export type { ToolTraits } from './tool/traits.ts';
export type { Exporter, ExportMaterial } from './trajectory/exporter.ts';
export { EXPORTERS } from './trajectory/exporters.ts';
export { parseTrajectory, readTrajectory } from './trajectory/formats.ts';
export { htmlReport } from './trajectory/html/report.ts';
export type { Imported } from './trajectory/imported.ts';
export { toJsonl } from './trajectory/jsonl.ts';
export { toOpenAi } from './trajectory/openai.ts';
export { statsOf } from './trajectory/stats.ts';
export { storeImported } from './trajectory/store.ts';
export { TrajectoryError } from './trajectory/trajectory-error.ts';
export { toV0 } from './trajectory/v0/to-v0.ts';
export { type Condensed, type Condenser, type CondenserContext, KEEP } from './view/condensers/condenser.ts';
export { type CondenserSpec, createCondenser } from './view/condensers/spec.ts';
export { cutPoints } from './view/rules.ts';
export { View } from './view/view.ts';
export { openLocalWorkspace } from './workspace/local-workspace.ts';
export {
  type Process,
  type SpawnOptions,
  type Workspace,
  WorkspaceError,
} from './workspace/workspace.ts';
