import type { Role } from './annotation.ts'
import type { AudioContent, ContentBlock, ImageContent, TextContent } from './content.ts'
import type { JsonObject } from './json-rpc.ts'
import type { Meta } from './meta.ts'
import type { Tool } from './tool.ts'

/** A model's wish to call a tool. */
export interface ToolUseContent {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: Readonly<JsonObject>
  readonly _meta?: Meta
}

/** What became of a tool call that a model wished for. */
export interface ToolResultContent {
  readonly type: 'tool_result'
  readonly toolUseId: string
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: Meta
}

/** One piece of a message to or from a model. */
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

/** Which model a server would like; the client decides. */
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

/** What the client's model said. */
export interface CreateMessageResult extends SamplingMessage {
  readonly model: string
  readonly stopReason?: string
}
