/** Why a request was denied, independent of how the transport formats it. */
export interface Denial {
  readonly status: 400 | 401 | 403 | 503
  /** Fixed text, without any part of the request. */
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}
