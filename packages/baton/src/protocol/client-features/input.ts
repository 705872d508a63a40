import type { ElicitParams, ElicitResult } from './elicitation.ts'
import type { Meta } from '../meta.ts'
import type { CreateMessageParams, CreateMessageResult } from './sampling.ts'

/** A directory or file on which the client lets the server work. */
export interface Root {
  readonly uri: string
  readonly name?: string
  readonly _meta?: Meta
}

/** A request from a handler to the client, whose response the handler needs to continue. */
export type InputRequest =
  | { readonly method: 'elicitation/create'; readonly params: ElicitParams }
  | { readonly method: 'sampling/createMessage'; readonly params: CreateMessageParams }
  | { readonly method: 'roots/list'; readonly params?: { readonly _meta?: Meta } }

/** Several requests by key; the responses have the same keys. */
export type InputRequests = Readonly<Record<string, InputRequest>>

/** The response type of a request. */
export type InputResponse<Request extends InputRequest = InputRequest> =
  Request['method'] extends 'elicitation/create'
    ? ElicitResult
    : Request['method'] extends 'sampling/createMessage'
      ? CreateMessageResult
      : { readonly roots: readonly Root[] }
