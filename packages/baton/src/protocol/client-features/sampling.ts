import type { Role } from '../server-features/annotation.ts'
import type {
  AudioContent,
  ContentBlock,
  ImageContent,
  TextContent,
} from '../server-features/content.ts'
import type { JsonObject } from '../json-rpc.ts'
import type { Meta } from '../meta.ts'
import type { Tool } from '../server-features/tool.ts'

/** A model's request to call a tool. */
export interface ToolUseContent {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: Readonly<JsonObject>
  readonly _meta?: Meta
}

/** The result of a tool call that a model requested. */
export interface ToolResultContent {
  readonly type: 'tool_result'
  readonly toolUseId: string
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: Meta
}

/** A content block of a message to or from a model. */
export type SamplingContent =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent

/** A message to or from a model. */
export interface SamplingMessage {
  readonly role: Role
  readonly content: SamplingContent | readonly SamplingContent[]
  readonly _meta?: Meta
}

/** Which model a server prefers; the client decides. */
export interface ModelPreferences {
  readonly hints?: readonly { readonly name?: string }[]
  readonly costPriority?: number
  readonly speedPriority?: number
  readonly intelligencePriority?: number
}

/** A request to the client's model. */
export interface CreateMessageParams {
  readonly messages: readonly SamplingMessage[]
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly modelPreferences?: ModelPreferences
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  readonly includeContext?: 'none' | 'thisServer' | 'allServers'
  readonly tools?: readonly Tool[]
  readonly toolChoice?: { readonly mode?: 'auto' | 'required' | 'none' }
  readonly metadata?: Readonly<JsonObject>
}

/** The response of the client's model. */
export interface CreateMessageResult extends SamplingMessage {
  readonly model: string
  readonly stopReason?: string
}
