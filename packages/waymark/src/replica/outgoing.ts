import type { StoredDocument } from '../store/replica.ts'
import { EntityDocument, toVersion } from './document.ts'
import { endOf, fromKeptForm, toUpdate } from './first-change.ts'
import { LONGEST_LINE, toPurgeLine, toUpdateLine } from './log-line.ts'
import type { JsonUpdate, LoroModule } from './loro.ts'

/** What is for the log, and what to remember once it is there. */
interface Outgoing {
  /** Mostly one; several where one would be longer than anybody reads. */
  readonly lines: readonly string[]
  readonly version: Uint8Array
}

/** What the log lacks of a document; everything when `sinceStart`. */
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
    return { lines: [toUpdateLine(entityId, toUpdate(first))], version }
  }
  using document = new EntityDocument(loro, entityId, bytes)
  const update = document.updatesSince(options.sinceStart === true ? null : logged)
  return { lines: toLines(entityId, update), version: document.version() }
}

/** Between two changes it may be cut anywhere: a line that comes before the one it builds on waits for it. */
export function toLines(
  entityId: string,
  update: JsonUpdate,
  longest: number = LONGEST_LINE,
): readonly string[] {
  const line = toUpdateLine(entityId, update)
  const { changes } = update
  if (line.length <= longest || changes.length <= 1) return [line]
  const middle = Math.ceil(changes.length / 2)
  return [changes.slice(0, middle), changes.slice(middle)].flatMap((some) =>
    toLines(entityId, { ...update, changes: some }, longest),
  )
}
