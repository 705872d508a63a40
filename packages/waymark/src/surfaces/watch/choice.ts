/** What a row of the screen stands for. */
export type Kind = 'question' | 'to_verify' | 'held' | 'task' | 'note'

/** A row that can be selected. */
export interface Choice {
  readonly kind: Kind
  /** As operations take it: the number of an entity, or `m3` of a message. */
  readonly id: string
}

export function isSame(one: Choice, other: Choice | undefined): boolean {
  return one.kind === other?.kind && one.id === other.id
}
