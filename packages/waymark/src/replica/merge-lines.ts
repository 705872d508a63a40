import type { Replica } from '../store/replica.ts'
import type { LogLine } from './log-line.ts'
import type { LoroModule } from './loro.ts'
import { materialise, type MergeNews } from './materialise.ts'
import { mergeDocument, takeInStranger } from './merge-document.ts'

export interface MergedLines extends MergeNews {
  readonly purged: readonly string[]
  /** Purged entities of which the log still says something. */
  readonly late: readonly string[]
  readonly damaged: number
  /** Entities that do not make sense to this version; their documents are kept. */
  readonly notUnderstood: readonly string[]
}

export interface LinesToMerge {
  readonly linesByEntity: ReadonlyMap<string, readonly LogLine[]>
  /** They come from the log; lines from elsewhere have yet to be written there. */
  readonly isLogged: boolean
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Takes lines into the store, in the transaction that `replica` belongs to. Doing it again changes nothing. */
export async function mergeLines(
  loro: LoroModule,
  replica: Replica,
  { linesByEntity, isLogged, at }: LinesToMerge,
): Promise<MergedLines> {
  const states = []
  const purged: string[] = []
  const late: string[] = []
  const notUnderstood: string[] = []
  let damaged = 0
  const strangers = await replica.strangers([...linesByEntity.keys()])
  for (const [entityId, lines] of linesByEntity) {
    const merge = strangers.has(entityId) ? takeInStranger : mergeDocument
    const merged = await merge(loro, replica, entityId, { lines, isLogged })
    damaged += merged.damaged
    if (merged.isLate) late.push(entityId)
    if (merged.isPurged) purged.push(entityId)
    else if (merged.state !== undefined) states.push(merged.state)
    else if (!merged.isLate) notUnderstood.push(entityId)
  }
  for (const entityId of purged) await replica.rows.purge(entityId, { at, by: null }, isLogged)
  const news = await materialise(replica, states, { at, strangers })
  return { ...news, purged, late, damaged, notUnderstood }
}

export function byEntity(lines: Iterable<LogLine>): Map<string, LogLine[]> {
  const grouped = new Map<string, LogLine[]>()
  for (const line of lines) {
    const known = grouped.get(line.entityId)
    if (known === undefined) grouped.set(line.entityId, [line])
    else known.push(line)
  }
  return grouped
}
