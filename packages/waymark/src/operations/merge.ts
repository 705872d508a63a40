import type { Context } from '../context.ts'
import type { LogLine } from '../replica/log-line.ts'
import type { LoroModule } from '../replica/loro.ts'
import type { EntityNews, RelationNews } from '../replica/materialise.ts'
import { absorb } from '../replica/merge-document.ts'
import { byEntity, mergeLines } from '../replica/merge-lines.ts'
import type { Renumbered } from '../replica/numbers.ts'
import { type Advance, Progress } from '../progress.ts'
import { announceNumber, announceRow, announceWordless } from './announce-row.ts'
import { type Change, change } from './change.ts'
import { endMergedLeases, findForeign } from './leases/merged-leases.ts'
import { settleTask } from './record-task.ts'

/** So many entities are merged in one transaction: others who write get their turn in between. */
const AT_ONCE = 250

/** What has come in from elsewhere. */
export interface Incoming {
  created: number
  updated: number
  deleted: number
  purged: number
  relations: number
  damaged: number
  readonly notUnderstood: string[]
  readonly late: string[]
  readonly renumbered: Renumbered[]
  /** Entities that were left as they are because of a task that another agent holds. */
  readonly leftAlone: string[]
}

export function nothingIncoming(): Incoming {
  return {
    created: 0,
    updated: 0,
    deleted: 0,
    purged: 0,
    relations: 0,
    damaged: 0,
    notUnderstood: [],
    late: [],
    renumbered: [],
    leftAlone: [],
  }
}

export interface NewLines {
  readonly lines: Iterable<LogLine>
  /** They come from the log; lines from elsewhere have yet to be written there. */
  readonly isLogged: boolean
}

/**
 * Takes in lines and tells everybody who listens what has changed. Adds what came to `incoming`, and says after how
 * many lines.
 */
export async function takeIn(
  context: Context,
  loro: LoroModule,
  { lines, isLogged }: NewLines,
  incoming: Incoming,
  advance?: Advance,
): Promise<void> {
  let done = 0
  for (const batch of inBatches([...byEntity(lines)])) {
    context.signal.throwIfAborted()
    const merged = await change(once(context), async (change) => {
      const linesByEntity = new Map(batch)
      const { at } = change.stamp
      const leftAlone = isLogged ? new Set<string>() : await findForeign(change, linesByEntity)
      for (const id of leftAlone) linesByEntity.delete(id)
      const held = await change.leases.heldAmong([...linesByEntity.keys()], at)
      const merged = await mergeLines(loro, change.unguardedReplica, {
        linesByEntity,
        isLogged,
        at,
      })
      await endMergedLeases(inNameOf(change, null), held)
      for (const news of merged.entities) await announceEntity(change, news)
      for (const news of merged.relations) await announceRelation(change, news)
      for (const { id, from, to } of merged.renumbered) {
        const found = await change.replica.rows.find(id)
        if (found !== undefined) await announceNumber(change, { ...found.row, number: to }, from)
      }
      for (const id of merged.purged) await announceWordless(change, 'entity.purged', id)
      return { ...merged, leftAlone }
    })
    for (const { kind } of merged.entities) incoming[kind] += 1
    incoming.purged += merged.purged.length
    incoming.relations += merged.relations.length
    incoming.damaged += merged.damaged
    incoming.late.push(...merged.late)
    incoming.notUnderstood.push(...merged.notUnderstood)
    incoming.renumbered.push(...merged.renumbered)
    incoming.leftAlone.push(...merged.leftAlone)
    for (const [, lines] of batch) done += lines.length
    advance?.(done)
  }
}

/** Brings all documents up to date with what was changed here. */
export async function absorbAll(
  context: Context,
  loro: LoroModule,
  progress = new Progress(context),
): Promise<void> {
  const advance = progress.phase('gathering changes', await context.store.replica.countWaiting())
  let done = 0
  for (let last = ''; ;) {
    const ids = await context.store.replica.waiting(last, AT_ONCE)
    if (ids.length === 0) return
    context.signal.throwIfAborted()
    await context.store.write(async ({ replica }) => {
      for (const id of ids) await absorb(loro, replica, id)
    }, context)
    advance((done += ids.length))
    last = ids.at(-1) ?? last
  }
}

async function announceEntity(change: Change, { kind, before, row }: EntityNews): Promise<void> {
  const theirs = inNameOf(change, row.updatedBy)
  await announceRow(theirs, `entity.${kind}`, row)
  if (kind === 'updated' && before !== undefined) await settleTask(theirs, before, row)
}

async function announceRelation(change: Change, { kind, relation }: RelationNews): Promise<void> {
  const { sourceId, type, targetId, createdBy } = relation
  const { announce } = inNameOf(change, kind === 'created' ? createdBy : null)
  await announce(`relation.${kind}`, sourceId, { type, target: targetId })
}

/** Whoever merges has only brought what somebody did elsewhere. */
function inNameOf(change: Change, name: string | null): Change {
  const announce = change.announceFor(name)
  return {
    ...change,
    announce: (type, subject, data) => announce(type, subject, { ...data, merged: true }),
  }
}

/** One call makes many changes here; a key that makes a call repeatable covers only one. */
export function once(context: Context): Context {
  const { repeatable: _, ...rest } = context
  return rest
}

function* inBatches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += AT_ONCE) yield items.slice(at, at + AT_ONCE)
}
