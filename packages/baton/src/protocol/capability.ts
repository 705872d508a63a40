import type { JsonObject } from './json-rpc.ts'

/** What a client says it can do; an absent member means it cannot. */
export interface ClientCapabilities {
  readonly elicitation?: { readonly form?: JsonObject; readonly url?: JsonObject }
  readonly sampling?: { readonly context?: JsonObject; readonly tools?: JsonObject }
  readonly roots?: { readonly listChanged?: boolean }
  readonly experimental?: Readonly<Record<string, JsonObject>>
  readonly extensions?: Readonly<Record<string, JsonObject>>
}

/** What a server says it can do; an absent member means it cannot. */
export interface ServerCapabilities {
  readonly tools?: { readonly listChanged?: boolean }
  readonly resources?: { readonly subscribe?: boolean; readonly listChanged?: boolean }
  readonly prompts?: { readonly listChanged?: boolean }
  readonly completions?: JsonObject
  readonly logging?: JsonObject
  readonly experimental?: Readonly<Record<string, JsonObject>>
  readonly extensions?: Readonly<Record<string, JsonObject>>
}
