import type { ElicitParams, ElicitResult } from './elicitation.ts'
import type { Meta } from './meta.ts'
import type { CreateMessageParams, CreateMessageResult } from './sampling.ts'

/** A directory or file that the client lets the server work on. */
export interface Root {
  readonly uri: string
  readonly name?: string
  readonly _meta?: Meta
}

/** Something that a handler wants to know from the client before it can go on. */
export type InputRequest =
  | { readonly method: 'elicitation/create'; readonly params: ElicitParams }
  | { readonly method: 'sampling/createMessage'; readonly params: CreateMessageParams }
  | { readonly method: 'roots/list'; readonly params?: { readonly _meta?: Meta } }

/** Several requests under names that the answers come back with. */
export type InputRequests = Readonly<Record<string, InputRequest>>

/** The answer that belongs to a request. */
export type InputResponse<Request extends InputRequest = InputRequest> =
  Request['method'] extends 'elicitation/create'
    ? ElicitResult
    : Request['method'] extends 'sampling/createMessage'
      ? CreateMessageResult
      : { readonly roots: readonly Root[] }
