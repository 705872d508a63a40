import type { CompletionRequest, CompletionResult } from '../protocol/completion.ts'
import type { GetPromptResult, Prompt } from '../protocol/prompt.ts'
import type { ReadResourceResult, Resource, ResourceTemplate } from '../protocol/resource.ts'
import type { CallToolResult, Tool } from '../protocol/tool.ts'
import type { Awaitable, CallContext } from './call-context.ts'

/**
 * What an application offers to clients; a feature is advertised if its methods are there.
 * A list method that returns the same array object again lets baton reuse the serialised list.
 */
export interface ServerHandler {
  /** Also asked before each call whose headers may have to repeat arguments, as those over modern HTTP. */
  listTools?(context: CallContext): Awaitable<readonly Tool[]>
  callTool?(
    name: string,
    args: Readonly<Record<string, unknown>>,
    context: CallContext,
  ): Awaitable<CallToolResult>
  listResources?(context: CallContext): Awaitable<readonly Resource[]>
  listResourceTemplates?(context: CallContext): Awaitable<readonly ResourceTemplate[]>
  readResource?(uri: string, context: CallContext): Awaitable<ReadResourceResult>
  /** Called before a subscription counts; a throw refuses it. Without it, any URI may be watched. */
  subscribe?(uri: string, context: CallContext): Awaitable<void>
  /** Called when a client has said that it watches no longer; not when it has gone, or its session has ended. */
  unsubscribe?(uri: string, context: CallContext): Awaitable<void>
  listPrompts?(context: CallContext): Awaitable<readonly Prompt[]>
  getPrompt?(
    name: string,
    args: Readonly<Record<string, string>>,
    context: CallContext,
  ): Awaitable<GetPromptResult>
  complete?(request: CompletionRequest, context: CallContext): Awaitable<CompletionResult>
}
