import type { CompletionRequest, CompletionResult } from '../protocol/server-features/completion.ts'
import type { GetPromptResult, Prompt } from '../protocol/server-features/prompt.ts'
import type {
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from '../protocol/server-features/resource.ts'
import type { CallToolResult, Tool } from '../protocol/server-features/tool.ts'
import type { Awaitable, CallContext } from './call-context.ts'

/**
 * The features of an application as one object; a feature is advertised if its methods are present.
 * A list method that returns the same array again lets baton reuse the serialised list.
 */
export interface ServerHandler {
  /** Also called before each tool call over modern HTTP, whose headers may have to repeat arguments. */
  listTools?(context: CallContext): Awaitable<readonly Tool[]>
  callTool?(
    name: string,
    args: Readonly<Record<string, unknown>>,
    context: CallContext,
  ): Awaitable<CallToolResult>
  listResources?(context: CallContext): Awaitable<readonly Resource[]>
  listResourceTemplates?(context: CallContext): Awaitable<readonly ResourceTemplate[]>
  readResource?(uri: string, context: CallContext): Awaitable<ReadResourceResult>
  /** Called before a subscription is added; throw to refuse it. Without this method any URI may be subscribed to. */
  subscribe?(uri: string, context: CallContext): Awaitable<void>
  /** Called when a client unsubscribes; not when it disconnects or its session ends. */
  unsubscribe?(uri: string, context: CallContext): Awaitable<void>
  listPrompts?(context: CallContext): Awaitable<readonly Prompt[]>
  getPrompt?(
    name: string,
    args: Readonly<Record<string, string>>,
    context: CallContext,
  ): Awaitable<GetPromptResult>
  complete?(request: CompletionRequest, context: CallContext): Awaitable<CompletionResult>
}
