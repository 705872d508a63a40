import { readLog } from '../replica/log-ref.ts'
import { readSegment } from '../replica/log-tree.ts'
import type { Remote } from '../replica/remote.ts'
import type { SyncReport } from './sync.ts'
import type { LogSync } from './sync-log.ts'

/** What a sync would do, as far as it can be known without doing it: which entities would come and which would go. */
export async function previewSync(
  { context, repository }: LogSync,
  remote: Remote | undefined,
): Promise<SyncReport> {
  const { replica } = context.store
  const known = await replica.knownSegments()
  const { tree } =
    remote === undefined
      ? { tree: new Map<string, string>() }
      : await readLog(repository, remote.logRef)
  const named = new Set<string>()
  let damaged = 0
  for (const [name, blob] of tree) {
    if (known.has(name)) continue
    const segment = await readSegment(repository, name, blob)
    for (const { entityId } of segment.lines) named.add(entityId)
    damaged += segment.damaged
  }
  const received = { created: 0, updated: 0, deleted: 0, purged: 0, relations: 0, notes: 0 }
  for (const id of named) {
    const isKnown = (await replica.document(id)) !== undefined
    received[isKnown ? 'updated' : 'created'] += 1
  }
  return {
    ...(remote !== undefined && { remote: remote.name }),
    dry_run: true,
    received,
    sent: { entities: await replica.countOutgoing(), pushed: false },
    renumbered: [],
    waiting: await replica.countStrays(),
    damaged,
    not_understood: [],
  }
}
