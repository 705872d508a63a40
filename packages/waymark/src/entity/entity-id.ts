import type { Brand } from '../support/brand.ts'

/** UUID of an entity, lower case, with hyphens. */
export type EntityId = Brand<string, 'EntityId'>

/** An id as a new UUID, an event, a stored property or another clone spells it. */
export function toEntityId(text: string): EntityId {
  return text as EntityId
}
