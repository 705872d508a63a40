export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json }

export type Path = readonly string[]

/** One addition of ours to a user's file. */
export interface Edit {
  /**
   * `entry`: the key at the end of the path is ours. `item`: one element of the list at the path is ours. `default`: a
   * required key; an existing value stays. `section`: a marked part of a text.
   */
  readonly kind: 'entry' | 'item' | 'default' | 'section'
  readonly path: Path
  /** The entry is an element of a list; the last step of the path is the `name` inside it. YAML only. */
  readonly isListed?: boolean | undefined
  readonly value: Json
}

/**
 * Editor for one file format. Every function takes the whole text and returns a text in which all other bytes are the same,
 * or throws a Failure that names the position of the syntax error.
 */
export interface Format {
  /** The current value at the edit's path. For an item: the item itself, if the list has it. */
  find(text: string, edit: Edit): Json | undefined
  put(text: string, edit: Edit): string
  /** Removes the value, and containers beyond the first `keep` steps of the path that become empty. */
  take(text: string, edit: Edit, keep?: number): string
  /** The parsed file without the edit. */
  rest(text: string, edit: Edit): unknown
  /** How many steps of the path exist. */
  depth(text: string, path: Path): number
  /** Whether the text has no content left. */
  isBlank(text: string): boolean
}
