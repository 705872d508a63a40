import { parseReference } from './reference.ts'
import { Failure } from '../core/error.ts'
import type { ReplicaReader } from '../sync/merge/store.ts'
import type { FoundRow } from '../sync/merge/rows-store.ts'
import { ambiguous } from './find-entity.ts'
import { quote } from '../support/text/visible-text.ts'

/** The one entity that `text` names, dead or alive, by number or id prefix. */
export async function findDeletedToo(replica: ReplicaReader, text: string): Promise<FoundRow> {
  const [found, ...others] = await replica.named(parseReference(text))
  if (found === undefined) {
    throw new Failure('not_found', `no entity has or had the number or id ${quote(text)}`, {
      details: { field: 'id', id: text, kind: 'entity' },
    })
  }
  if (others.length > 0) {
    throw ambiguous(
      text,
      'id',
      [found, ...others].map(({ row }) => row),
    )
  }
  return found
}
