import type { StoredDocument } from '../store/replica.ts'
import { EntityDocument, toVersion } from './document.ts'
import { endOf, fromKeptForm, toUpdate } from './first-change.ts'
import { toPurgeLine, toUpdateLine } from './log-line.ts'
import type { LoroModule } from './loro.ts'

/** A line for the log, and what to remember once it is there. */
interface Outgoing {
  readonly line: string
  readonly version: Uint8Array
}

/** What the log lacks of a document; everything when `sinceStart`. */
export function toOutgoing(
  loro: LoroModule,
  stored: StoredDocument,
  options: { readonly sinceStart?: boolean } = {},
): Outgoing {
  const { entityId, document: bytes, logged } = stored
  if (bytes === null) return { line: toPurgeLine(entityId), version: new Uint8Array() }
  const first = options.sinceStart === true || logged === null ? fromKeptForm(bytes) : undefined
  if (first !== undefined) {
    const version = toVersion(loro, new Map([[first.peer, endOf(first)]]))
    return { line: toUpdateLine(entityId, toUpdate(first)), version }
  }
  using document = new EntityDocument(loro, entityId, bytes)
  const update = document.updatesSince(options.sinceStart === true ? null : logged)
  return { line: toUpdateLine(entityId, update), version: document.version() }
}
