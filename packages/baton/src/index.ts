export type { Annotations, Role } from './protocol/server-features/annotation.ts'
export type { ClientCapabilities, ServerCapabilities } from './protocol/capability.ts'
export type {
  CompletionReference,
  CompletionRequest,
  CompletionResult,
} from './protocol/server-features/completion.ts'
export type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from './protocol/server-features/content.ts'
export type {
  ElicitFormParams,
  ElicitParams,
  ElicitResult,
  ElicitUrlParams,
  FormField,
} from './protocol/client-features/elicitation.ts'
export { ERROR_CODES, invalidParams, ProtocolError, resourceNotFound } from './protocol/error.ts'
export type { Icon, Implementation } from './protocol/implementation.ts'
export type {
  InputRequest,
  InputRequests,
  InputResponse,
  Root,
} from './protocol/client-features/input.ts'
export type {
  BatchMessage,
  IncomingMessage,
  InvalidMessage,
  JsonObject,
  NotificationMessage,
  RequestId,
  RequestMessage,
  ResponseMessage,
  SingleMessage,
} from './protocol/json-rpc.ts'
export { LOG_LEVELS } from './protocol/server-features/logging.ts'
export type { LogLevel } from './protocol/server-features/logging.ts'
export type { Meta } from './protocol/meta.ts'
export { parseMessage } from './protocol/json-rpc.ts'
export type {
  GetPromptResult,
  Prompt,
  PromptArgument,
  PromptMessage,
} from './protocol/server-features/prompt.ts'
export type {
  BlobResourceContents,
  CacheHint,
  ReadResourceResult,
  Resource,
  ResourceContents,
  ResourceTemplate,
  TextResourceContents,
} from './protocol/server-features/resource.ts'
export type {
  CreateMessageParams,
  CreateMessageResult,
  ModelPreferences,
  SamplingContent,
  SamplingMessage,
  ToolResultContent,
  ToolUseContent,
} from './protocol/client-features/sampling.ts'
export type { SubscriptionFilter } from './protocol/subscription.ts'
export { TASKS_EXTENSION } from './protocol/task.ts'
export type { DetailedTask, Task, TaskStatus } from './protocol/task.ts'
export type {
  CallToolResult,
  JsonSchema,
  Tool,
  ToolAnnotations,
} from './protocol/server-features/tool.ts'
export { LEGACY_VERSIONS, MODERN_VERSIONS, PROTOCOL_VERSIONS } from './protocol/version.ts'
export type { Era, ProtocolVersion } from './protocol/version.ts'
export type { Awaitable, BecomeTaskOptions, CallContext, Principal } from './server/call-context.ts'
export type { TransportKind } from './server/call/call.ts'
export type { ServerNotifier } from './server/change.ts'
export type { Connection, ConnectionOptions, RequestOptions } from './server/connection.ts'
export type { ServerHandler } from './server/handler.ts'
export type { RequestStateOptions } from './server/input/request-state.ts'
export type { Limits } from './server/limits.ts'
export type { Middleware, MiddlewareCall } from './server/middleware.ts'
export type { OutgoingFrame, MessageSink } from './server/message-sink.ts'
export type { Definitions } from './server/definition/definitions.ts'
export type { PromptDefinition } from './server/definition/prompt-definition.ts'
export type {
  ResourceDefinition,
  ResourceReading,
  ResourceTemplateDefinition,
  TemplateVariables,
} from './server/definition/resource-definition.ts'
export type { InferInput, InferOutput, Schema, StandardSchema } from './server/definition/schema.ts'
export { createServer } from './server/server.ts'
export type { Server, ServerOptions } from './server/server.ts'
export type { TaskOptions } from './server/task/task-runner.ts'
export type {
  ErrorResult,
  StructuredResult,
  StructuredToolDefinition,
  ToolDefinition,
} from './server/definition/tool-definition.ts'
export { connectInMemory } from './transport/memory.ts'
export type { MemoryClient } from './transport/memory.ts'
export { createTestClient } from './transport/test-client.ts'
export type { TestClient, TestClientOptions } from './transport/test-client.ts'
