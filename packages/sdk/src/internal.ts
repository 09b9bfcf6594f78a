/**
 * What the packages of Longhand share besides the public names. Any release may change it: programs import `@longhand/sdk`.
 */
export { DEFAULT_AGENT_NAME, MCP_TOOLS, toolSpecsOf } from './agent/agent.ts';
export type { PromptNotice } from './agent/ask.ts';
export { definitionsIn } from './agent/definition.ts';
export { openKnowledge } from './context/knowledge.ts';
export { firstOfEachName } from './context/load-skills.ts';
export {
  enabledServers,
  expandPlaceholders,
  type McpAuth,
  type McpServer,
  REDACTED,
  rootedAt,
} from './context/mcp-config.ts';
export { loadPlugin, type Plugin, skillsBroughtBy } from './context/plugin.ts';
export { decodeText } from './context/read-text.ts';
export { familyOf, PROMPT_SECTIONS, type PromptPart } from './context/system-prompt.ts';
export { renderTemplate, TemplateError } from './context/template.ts';
export { knowledgeOf } from './conversation/briefing.ts';
export { mergeHooks } from './conversation/hooks/hook-config.ts';
export type { LimitOptions, OversightOptions, PlaceOptions } from './conversation/open-options.ts';
export { describedTools, type Omitted, type ReplaySource } from './conversation/replay/replay.ts';
export { cassetteReplaySource } from './conversation/replay/replay-source.ts';
export { STATUSES } from './conversation/state/status.ts';
export { conversationDirectory, conversationIds } from './conversation/store/location.ts';
export { readBaseState } from './conversation/store/open.ts';
export type { ReadOptions } from './conversation/store/read.ts';
export type { Clock } from './event/identity.ts';
export { observationContent } from './event/kinds/observation-content.ts';
export { renderContent } from './event/kinds/result.ts';
export type { ToolDescription } from './event/kinds/system-prompt.ts';
export { eventSchemas, isBuiltInKind, movesHead } from './event/kinds.ts';
export { CLIPPED, truncateMiddle } from './event/truncate.ts';
export { totalCostUsd, totalTokens, unpricedCalls } from './llm/accounts/metrics.ts';
export { type CatalogueEntry, lookUp, ownPricing } from './llm/catalogue/catalogue.ts';
export { findLocalModelServer, type LocalModelServer } from './llm/catalogue/discover.ts';
export { decideFeatures, featureName } from './llm/catalogue/features.ts';
export { modelInfoOf } from './llm/catalogue/model-info.ts';
export { type ResolvedModel, resolveModel } from './llm/catalogue/model-name.ts';
export { PROVIDERS } from './llm/catalogue/providers.ts';
export {
  llmOfSettings,
  llmSetting,
  mergeLlm,
  type Routing,
  type RoutingRule,
  withEndpoint,
} from './llm/config/llm-config.ts';
export { LLM_FIELDS, type LlmField, type LlmKey } from './llm/config/llm-fields.ts';
export { isModelKey, modelKeysIn, secretsOfConfig } from './llm/config/model-secrets.ts';
export { listProfiles, loadProfile, removeProfile, saveProfile } from './llm/config/profiles.ts';
export {
  readSetting,
  readVariable,
  type Setting,
  settingSchema,
  type ValueOf,
  writeSetting,
} from './llm/config/setting.ts';
export { llmFromStored, llmFromWire, llmToWire } from './llm/config/wire-config.ts';
export type { Delta } from './llm/llm.ts';
export { type Cassette, type CassetteLine, parseCassette, ReplayMismatch } from './llm/playback/cassette.ts';
export { wireMessages } from './llm/provider/wire-form.ts';
export { writeFileAtomic } from './log/atomic-file.ts';
export { acquireWriterLock } from './log/writer-lock.ts';
export { dependsOnRisk } from './security/confirmation.ts';
export { isSecretName, maskDeep, masker, secretsOf } from './security/mask.ts';
export { type KeptFile, localConversationFiles, OUTPUTS } from './tool/conversation-files.ts';
export { describeTool } from './tool/describe.ts';
export type { ToolConversation } from './tool/tool.ts';
export { toolSchema } from './tool/tool-schema.ts';
export { createToolSet } from './tool/tool-set.ts';
export type { Arguments, NamedCall } from './tool/traits.ts';
export { EXPORT_FORMATS } from './trajectory/exporters.ts';
export { IMPORT_FORMATS, IMPORTERS, type ImportFormat } from './trajectory/importers.ts';
export { modelCalls } from './trajectory/model-calls.ts';
export { type ActionReplay, replayActions } from './trajectory/replay-actions.ts';
export type { StepStats, TrajectoryStats } from './trajectory/stats.ts';
export { statsSvg } from './trajectory/stats-svg.ts';
export { unifiedDiff } from './trajectory/unified-diff.ts';
export type { V0Event } from './trajectory/v0/format.ts';
export { v0Text } from './trajectory/v0/to-v0.ts';
export { describeDifference } from './value/difference.ts';
export { makeFolder } from './value/make-folder.ts';
export { userFolder } from './value/user-folder.ts';
export { CONDENSER_TYPES } from './view/condensers/spec.ts';
export { condenserSpec } from './view/condensers/spec-from-table.ts';
export { capture } from './workspace/capture.ts';
export type { ProcessExit } from './workspace/workspace.ts';
