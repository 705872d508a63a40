export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json }

export type Path = readonly string[]

/** One thing of ours in somebody's file. */
export interface Edit {
  /**
   * `entry`: the key at the end of the path is ours. `item`: one element of the list at the path is ours. `default`: a
   * key that the file cannot do without; whatever is there already stays. `section`: a marked part of a text.
   */
  readonly kind: 'entry' | 'item' | 'default' | 'section'
  readonly path: Path
  readonly value: Json
}

/**
 * How one kind of file is changed. Every function takes the whole text and returns a whole text in which all other
 * bytes are the same, or throws a Failure that says where the text cannot be read.
 */
export interface Format {
  /** What is in the edit's place now. For an item: the item itself, if the list has it. */
  find(text: string, edit: Edit): Json | undefined
  put(text: string, edit: Edit): string
  /** Takes out what `find` finds, and the containers beyond the first `keep` steps of the path that this leaves empty. */
  take(text: string, edit: Edit, keep?: number): string
  /** Everything the file says apart from the edit's place. */
  rest(text: string, edit: Edit): unknown
  /** How many steps of the path exist. */
  depth(text: string, path: Path): number
  /** Whether nothing is left that anybody could miss. */
  isBlank(text: string): boolean
}
