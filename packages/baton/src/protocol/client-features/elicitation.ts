import type { JsonObject } from '../json-rpc.ts'

/** One field of a form: a string, number, boolean, or choice. */
export type FormField = Readonly<JsonObject>

/** A question that the client puts to its user as a form. */
export interface ElicitFormParams {
  readonly mode?: 'form'
  readonly message: string
  readonly requestedSchema: {
    readonly type: 'object'
    readonly properties: Readonly<Record<string, FormField>>
    readonly required?: readonly string[]
  }
}

/** A page that the client asks its user to visit, for input that must not pass through the client. */
export interface ElicitUrlParams {
  readonly mode: 'url'
  readonly message: string
  readonly url: string
}

/** A question to the user: a form or a page to visit. */
export type ElicitParams = ElicitFormParams | ElicitUrlParams

/** The user's response; `content` is present if a form was accepted. */
export interface ElicitResult {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<Record<string, string | number | boolean | readonly string[]>>
}
