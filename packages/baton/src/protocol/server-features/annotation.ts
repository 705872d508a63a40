/** The author of a message, or the audience of a content block. */
export type Role = 'user' | 'assistant'

/** Hints on how a client may use or display a content block. */
export interface Annotations {
  readonly audience?: readonly Role[]
  readonly priority?: number
  readonly lastModified?: string
}
