import type { LogLine } from './log/log-line.ts'
import { mergeLogs, readLog, readUpdate } from './log/log-ref.ts'
import { type LogTree, type LogVersion, readSegment } from './log/log-tree.ts'
import { UNSIGNED } from './log/verify-log.ts'
import type { Remote } from './remote/remote.ts'
import { describePurges } from './merge/purge-requests.ts'
import type { ExchangeReport } from './view.ts'
import type { AsideLine } from './log/set-aside-store.ts'
import { asideOf, findFresh, findLostFrom, type LogSync, readJudged } from './log-exchange.ts'
import { readSetAside, toSetAsideView } from './merge-report.ts'
import type { EntityId } from '../entity/entity-id.ts'

/** Possible effects on a local entity; the most severe one is reported. */
const GRAVITY = { updated: 0, deleted: 1, purged: 2 } as const

/** Estimates a sync without merging: the entities that would be received and sent. */
export async function previewSync(
  sync: LogSync,
  remote: Remote | undefined,
): Promise<ExchangeReport> {
  const { context, repository } = sync
  const { replica } = context.store
  const theirs =
    remote === undefined
      ? { tip: undefined, tree: new Map<string, string>() }
      : await readLog(repository, remote.logRef)
  const named = new Map<EntityId, keyof typeof GRAVITY>()
  // Includes lines that were set aside and would be accepted now.
  const accepted = sync.settings.quarantines ? undefined : 'unsigned'
  const asideBlobs = await replica.aside.blobs(accepted)
  const known = await replica.knownSegments()
  const { segments, verifications } = await findFresh(sync, theirs)
  const aside = await readSetAside(context, accepted)
  let { damaged, total } = aside
  const lines: AsideLine[] = [...aside.lines]
  for (const [name, blob] of segments) {
    if (known.has(name) || asideBlobs.has(blob)) continue
    const verification = verifications.get(name) ?? UNSIGNED
    const segment = await readJudged(sync, name, { blob, verification })
    for (const line of segment.lines) {
      const [kind, known] = [kindOf(line), named.get(line.entityId) ?? 'updated']
      named.set(line.entityId, GRAVITY[kind] > GRAVITY[known] ? kind : known)
    }
    damaged += segment.damaged
    for (const line of asideOf(name, theirs.tree, segment)) {
      if (line.reason === 'damaged') continue
      lines.push(line)
      total += line.lines
    }
  }
  const received = { created: 0, updated: 0, deleted: 0, purged: 0, relations: 0, notes: 0 }
  const purges = await describePurges(context)
  for (const [id, kind] of named) {
    const [found] = await replica.named({ prefix: id.replaceAll('-', '') })
    if (found === undefined) received.created += kind === 'updated' ? 1 : 0
    else if ((await replica.document(id))?.document !== null) {
      received[kind] += 1
      if (kind !== 'purged' || purges.some((view) => view.id === id)) continue
      const { number, title } = found.row
      purges.push({ id, number, title, state: 'held', ...(remote && { remote: remote.name }) })
    }
  }
  return {
    ...(remote !== undefined && { remote: remote.name }),
    dry_run: true,
    received,
    sent: { entities: await countOutgoing(sync, remote && theirs), pushed: false },
    renumbered: [],
    changed_twice: [],
    double_claims: [],
    cycles: [],
    equal_keys: [],
    waiting: await replica.countStrays(),
    damaged,
    not_understood: [],
    purges,
    deletions: [],
    set_aside: toSetAsideView(lines, total),
    unreadable: [],
    notes_set_aside: [],
  }
}

/** Changes not yet in the log of the remote, and changes that disappeared from it. */
async function countOutgoing(sync: LogSync, theirs: LogVersion | undefined): Promise<number> {
  const { replica } = sync.context.store
  let count = await replica.countOutgoing()
  const joined =
    theirs === undefined
      ? (await readLog(sync.repository)).tree
      : await mergeLogs(sync.repository, await readUpdate(sync.repository, theirs))
  const { lost } = await findLostFrom(sync, joined)
  const unpushed = theirs === undefined ? [] : await findUnpushed(sync, joined, theirs)
  for (const id of new Set([...lost, ...unpushed])) {
    const isCounted = (await replica.document(id))?.isDirty || (await replica.ops(id)).length > 0
    if (!isCounted) count += 1
  }
  return count
}

/** Entities with changes that are in the log of this clone and not in that of the remote. */
export async function findUnpushed(
  { repository }: Pick<LogSync, 'repository'>,
  joined: LogTree,
  theirs: LogVersion,
): Promise<ReadonlySet<EntityId>> {
  const ids = new Set<EntityId>()
  for (const [name, blob] of joined) {
    if (theirs.tree.has(name)) continue
    const { lines } = await readSegment(repository, name, blob)
    for (const { entityId } of lines) ids.add(entityId)
  }
  return ids
}

/** The effect of a line on a local entity, judged from the line alone. */
function kindOf(line: LogLine): keyof typeof GRAVITY {
  if ('isPurged' in line) return 'purged'
  const ops = line.update.changes.flatMap((change) => change.ops)
  const stated = ops.findLast(({ container, content }) => {
    return container === 'cid:root-fields:Map' && 'key' in content && content.key === 'deleted_at'
  })
  const { content } = stated ?? {}
  return content && 'value' in content && typeof content.value === 'number' ? 'deleted' : 'updated'
}
