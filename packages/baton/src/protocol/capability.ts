import type { JsonObject } from './json-rpc.ts'

/** The capabilities that a client declares; an absent member is an unsupported feature. */
export interface ClientCapabilities {
  readonly elicitation?: { readonly form?: JsonObject; readonly url?: JsonObject }
  readonly sampling?: { readonly context?: JsonObject; readonly tools?: JsonObject }
  readonly roots?: { readonly listChanged?: boolean }
  readonly experimental?: Readonly<Record<string, JsonObject>>
  readonly extensions?: Readonly<Record<string, JsonObject>>
}

/** The capabilities that a server declares; an absent member is an unsupported feature. */
export interface ServerCapabilities {
  readonly tools?: { readonly listChanged?: boolean }
  readonly resources?: { readonly subscribe?: boolean; readonly listChanged?: boolean }
  readonly prompts?: { readonly listChanged?: boolean }
  readonly completions?: JsonObject
  readonly logging?: JsonObject
  readonly experimental?: Readonly<Record<string, JsonObject>>
  readonly extensions?: Readonly<Record<string, JsonObject>>
}
