import type { CallToolResult, ServerCapabilities, Tool } from '@waymark/baton'
import type { Failure } from '../core/error.ts'
import type { Operation } from '../core/operation.ts'
import type { Block } from '../core/show.ts'

/** A view of the engine: its own names, shapes and codes for the same operations. It contains no rules. */
export interface Dialect {
  readonly name: string
  readonly server: {
    readonly name: string
    readonly version: string
    readonly instructions?: string
  }
  /** Its specification wants the server to refuse to start where there is no project. */
  readonly needsProject?: true
  /** Its tools promise no structured content: a host that passes text on gets the text alone. */
  readonly isReadAsText?: true
  /** Its answers have room for notices about leases that were ended. */
  readonly tellsLostLeases?: true
  /** Its specification says that properties which a type does not have are ignored. */
  readonly ignoresUnknownProperties?: true
  /** Its specification wants the start and the end of the server in the log at the level `info`. */
  readonly logsStart?: true
  /** Its specification wants the start and the end of each call in the log at the level `info`. */
  readonly logsCalls?: true
  /** Its specification wants the log level of `RUST_LOG` where none of ours is set. */
  readonly readsRustLog?: true
  /** How many bytes a message may have, where a call that its specification allows needs more than the default. */
  readonly messageBytes?: number
  /** Protocol versions to insist on when asked to be strict. */
  readonly strictVersions?: readonly string[]
  /** What `tools/list` answers; made at build time so that connecting loads no schema library. */
  readonly listed: readonly Tool[]
  /** With a name, at least the tool of that name, if there is one: what the others need does not have to be loaded. */
  loadTools(name?: string): Promise<readonly DialectTool[]>
  /** Calls that most sessions begin with, which change nothing: tool and arguments. */
  readonly firstCalls?: readonly (readonly [tool: string, args: Fields])[]
  /** The same with other groups of tools than those it has by itself. */
  withToolsets?(names: readonly string[]): Dialect
  /** The spec's JSON-RPC error for a Failure. Without one, a Failure is a tool result with `isError`. */
  toErrorCode?(failure: Failure, tool: string): DialectError
  /** The spec's result for a Failure, where it spells errors as results of its own form. */
  toErrorResult?(failure: Failure, place: ErrorPlace): CallToolResult
  /** The text of a Failure for models; the structured data stays the same. */
  explain?(failure: Failure): string
  /** Reads and writes the file in which its specification keeps the data: run before each call and after each change. */
  loadSync?(this: void): Promise<Operation>
  /** The resources, and how they are answered. */
  readonly resources?: DialectResources
  /** Whether the project's prompts are offered. */
  readonly prompts?: boolean
  /** The log message of an event, for hosts that show no other notifications. */
  readonly toNews?: (event: DialectEvent) => unknown
  /** Prompts of the dialect itself. */
  readonly ownPrompts?: readonly DialectPrompt[]
  /** Views for hosts that can show them; other clients are told nothing of these. */
  readonly apps?: DialectApps
  /** Capabilities to advertise, where the spec differs from the default. */
  readonly capabilities?: ServerCapabilities
}

/** Tools that open a view beside the conversation, and the pages of those views. */
export interface DialectApps {
  readonly listed: readonly Tool[]
  loadTools(): Promise<readonly DialectTool[]>
  /** The file of each page, by its address. */
  readonly pages: Readonly<Record<string, string>>
}

export interface DialectResources {
  readonly listed: readonly DialectResource[]
  /** How each is answered, by its template. */
  load(): Promise<Readonly<Record<string, ResourceSpelling>>>
  /** The spec's JSON-RPC error for a Failure. Without one, the protocol's own. */
  toErrorCode?(failure: Failure, uri: string): DialectError
}

/** A resource, or a family of them with `{variables}` in the address. */
export interface DialectResource {
  readonly template: string
  readonly name: string
  readonly description: string
  readonly mimeType: string
  /** Whether `?limit=&offset=` may follow the address. */
  readonly isPaged?: boolean
  /** Whether it needs the entities that an event concerns; they are looked up for it. */
  readonly needsConcerned?: true
  /** Whether the event may have changed the resource. */
  isTouchedBy(event: DialectEvent, variables: Variables): boolean
}

/** Arguments or parts of an answer whose names and types are not known here. */
export type Fields = Readonly<Record<string, unknown>>

export type Variables = Readonly<Record<string, string>>

/** An entity by its id, with its number and key in `data` where they are known. */
export interface NamedSubject {
  readonly subject: string
  readonly data: Fields
}

/** An event of the engine. */
export interface DialectEvent extends NamedSubject {
  readonly type: string
  /** The entities whose picture it changes, for resources that need them. */
  readonly concerned?: readonly NamedSubject[]
}

/** The part of a list that is asked for; absent fields are left to the operation. */
export interface ResourcePage {
  readonly limit?: number
  readonly offset?: number
}

export interface ResourceSpelling {
  readonly operation: Operation
  toInput(variables: Variables, page: ResourcePage): unknown
  toResult(output: unknown, page: ResourcePage): unknown
  /** The content with its own media type, in place of JSON. */
  toContent?(output: unknown): ResourceContent
}

/** A text, or bytes in base64. */
export type ResourceContent = { readonly mimeType: string } & (
  | { readonly text: string }
  | { readonly blob: string }
)

export interface DialectTool {
  readonly listed: Tool
  /** The group it belongs to, where the dialect has groups. */
  readonly toolset?: string
  /** The operation that it calls unless its arguments ask for another one. */
  readonly operation: Operation
  /** The operation that these arguments ask for. Throws `invalid_input` if they ask for none. */
  toOperation(args: Fields): Operation
  /** The same with its input. Throws `invalid_input` for arguments that the dialect refuses. */
  toCall(args: Fields): ToolCall
  /** The project that the arguments name, if they can. */
  toProject?(args: Fields): string | undefined
}

export interface ToolCall {
  readonly operation: Operation
  readonly input: unknown
  /** Output of the operation → answer as this dialect spells it. */
  readonly toAnswer: (output: unknown) => ToolAnswer
}

export interface ToolAnswer {
  /** A string is sent as text alone. */
  readonly result: unknown
  /** The result for readers of text. Without it, they get the result as JSON. */
  readonly text?: readonly Block[]
}

/** A prompt that the dialect itself brings along. It contains no stored text. */
export interface DialectPrompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly {
    readonly name: string
    readonly description: string
    readonly required: boolean
  }[]
  render(args: Variables): string
}

/** The request of a Failure. */
export interface ErrorPlace {
  readonly tool: string
  /** Names the request in the log; no two have the same. */
  readonly requestId: string
}

export interface DialectError {
  readonly code: number
  readonly message: string
  readonly data: Fields
}
