/** What access can be granted to; `entities` covers entities of every type, tasks among them. */
export type Area =
  | 'tasks'
  | 'projects'
  | 'entities'
  | 'code'
  | 'agents'
  | 'messages'
  | 'events'
  | 'artifacts'

/** Facts about a noun: the first word of its operations and the group of its commands. */
export interface Noun {
  readonly name: string
  /** One line in `--help`. */
  readonly about: string
  /** One call for `--help`: the words after the noun. */
  readonly example: string
  /** What its operations show or change. */
  readonly areas: readonly Area[]
  /** The verb of the command without one: `waymark sync` is `waymark sync run`. */
  readonly defaultVerb?: string
  /** Words may follow the noun directly: `waymark search auth`. */
  readonly takesWords?: true
  /** Listed first in `--help`. */
  readonly isEveryday?: true
  readonly hasNoPlural?: true
  readonly aliases?: readonly string[]
}

export function defineNoun(noun: Noun): Noun {
  return noun
}
