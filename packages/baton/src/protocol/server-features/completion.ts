/** The subject of an argument completion: a prompt by name, or a resource template by URI. */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string }

/** A request to complete one argument, with the values chosen so far. */
export interface CompletionRequest {
  readonly ref: CompletionReference
  readonly argument: { readonly name: string; readonly value: string }
  readonly resolved: Readonly<Record<string, string>>
}

/** Suggestions for an argument; at most 100 values go out. */
export interface CompletionResult {
  readonly values: readonly string[]
  readonly total?: number
  readonly hasMore?: boolean
}
