/** Who speaks, or who a piece of content is meant for. */
export type Role = 'user' | 'assistant'

/** Hints for how a client may use or show a piece of content. */
export interface Annotations {
  readonly audience?: readonly Role[]
  readonly priority?: number
  readonly lastModified?: string
}
