import type { StoredDocument } from '../merge/store.ts'
import { damagedHistory, EntityDocument } from '../document/document.ts'
import { toVersion } from '../document/version.ts'
import { endOf, type FirstChange, fromKeptForm, toUpdate } from '../document/first-change.ts'
import { WRITTEN_LINE } from './limits.ts'
import { toPurgeLine, toUpdateLine } from './log-line.ts'
import { toPart } from '../document/json-update.ts'
import type { JsonUpdate, LoroModule } from '../document/loro.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** Lines for the log, and the version to record after they are written. */
interface Outgoing {
  /** Mostly one; several where one would be longer than a line may be. */
  readonly lines: readonly string[]
  readonly version: Uint8Array
}

/** The changes of a document that the log lacks; all changes if `sinceStart`. */
export function toOutgoing(
  loro: LoroModule,
  stored: StoredDocument,
  options: { readonly sinceStart?: boolean } = {},
): Outgoing {
  const { entityId, document: bytes, logged } = stored
  if (bytes === null) return { lines: [toPurgeLine(entityId)], version: new Uint8Array() }
  const first = options.sinceStart === true || logged === null ? fromKeptForm(bytes) : undefined
  if (first !== undefined) {
    const version = toVersion(loro, new Map([[first.peer, endOf(first)]]))
    return { lines: [toFirstLine(entityId, first)], version }
  }
  using document = new EntityDocument(loro, entityId, bytes)
  const update = document.updatesSince(options.sinceStart === true ? null : logged)
  return { lines: toLines(entityId, update), version: document.version() }
}

function toFirstLine(entityId: EntityId, first: FirstChange): string {
  try {
    return toUpdateLine(entityId, toUpdate(first))
  } catch (error) {
    if (error instanceof RangeError) throw damagedHistory(entityId, error)
    throw error
  }
}

/** May be split between any two changes: a line that arrives before its dependencies waits for them. */
export function toLines(
  entityId: EntityId,
  update: JsonUpdate,
  longest: number = WRITTEN_LINE.length,
): readonly string[] {
  const line = toUpdateLine(entityId, update)
  const { changes } = update
  const isShort = line.length <= longest && changes.length <= WRITTEN_LINE.changes
  if (isShort || changes.length <= 1) return [line]
  const middle = Math.ceil(changes.length / 2)
  return [changes.slice(0, middle), changes.slice(middle)].flatMap((some) =>
    toLines(entityId, toPart(update, some), longest),
  )
}
