import { type LogVersion, mergeLogs, readLog } from '../replica/log-ref.ts'
import { readSegment } from '../replica/log-tree.ts'
import type { Remote } from '../replica/remote.ts'
import type { SyncReport } from './sync.ts'
import { findLostFrom, type LogSync } from './sync-log.ts'

/** What a sync would do, as far as it can be known without doing it: which entities would come and which would go. */
export async function previewSync(sync: LogSync, remote: Remote | undefined): Promise<SyncReport> {
  const { context, repository } = sync
  const { replica } = context.store
  const known = await replica.knownSegments()
  const theirs =
    remote === undefined
      ? { tip: undefined, tree: new Map<string, string>() }
      : await readLog(repository, remote.logRef)
  const named = new Set<string>()
  let damaged = 0
  for (const [name, blob] of theirs.tree) {
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
    sent: { entities: await countOutgoing(sync, theirs), pushed: false },
    renumbered: [],
    waiting: await replica.countStrays(),
    damaged,
    not_understood: [],
    unreadable: [],
    set_aside: [],
  }
}

/** What has not been written to the log, and what was and is there no longer. */
async function countOutgoing(sync: LogSync, theirs: LogVersion): Promise<number> {
  const { replica } = sync.context.store
  const ours = await readLog(sync.repository)
  let count = await replica.countOutgoing()
  for (const id of await findLostFrom(sync, await mergeLogs(sync.repository, { ours, theirs }))) {
    const isCounted = (await replica.document(id))?.isDirty || (await replica.ops(id)).length > 0
    if (!isCounted) count += 1
  }
  return count
}
