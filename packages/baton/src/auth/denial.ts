/** Why a request goes no further, in the form that every transport can send. */
export interface Denial {
  readonly status: 400 | 401 | 403 | 503
  /** Fixed text; never part of what the client sent. */
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}
