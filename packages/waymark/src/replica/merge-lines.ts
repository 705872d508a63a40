import type { Replica } from '../store/replica.ts'
import type { LogLine, RefusedLine } from './log-line.ts'
import type { LoroModule } from './loro.ts'
import { materialise, type MergeNews } from './materialise.ts'
import { mergeDocument, type PreparedDocument, takeInStranger } from './merge-document.ts'
import type { NumberRule } from './numbers.ts'

export interface MergedLines extends MergeNews {
  readonly purged: readonly string[]
  /** Purged entities of which the log still says something. */
  readonly late: readonly string[]
  readonly refused: readonly RefusedLine[]
  /** Entities that do not make sense to this version; their documents are kept. */
  readonly notUnderstood: readonly string[]
}

export interface LinesToMerge {
  readonly linesByEntity: ReadonlyMap<string, readonly LogLine[]>
  /** They come from the log; lines from elsewhere have yet to be written there. */
  readonly isLogged: boolean
  /** Milliseconds since 1970. */
  readonly at: number
  readonly numbers: NumberRule | 'later'
  /** Documents that were merged before the transaction began, because that takes long. */
  readonly prepared?: ReadonlyMap<string, PreparedDocument>
}

/** Takes lines into the store, in the transaction that `replica` belongs to. Doing it again changes nothing. */
export async function mergeLines(
  loro: LoroModule,
  replica: Replica,
  { linesByEntity, isLogged, at, numbers, prepared }: LinesToMerge,
): Promise<MergedLines> {
  const states = []
  const purged: string[] = []
  const late: string[] = []
  const notUnderstood: string[] = []
  const refused: RefusedLine[] = []
  const strangers = await replica.strangers([...linesByEntity.keys()])
  for (const [entityId, lines] of linesByEntity) {
    const merge = strangers.has(entityId) ? takeInStranger : mergeDocument
    const given = { lines, isLogged, prepared: prepared?.get(entityId) }
    const merged = await merge(loro, replica, entityId, given)
    refused.push(...merged.refused)
    if (merged.isLate) late.push(entityId)
    if (merged.isPurged) purged.push(entityId)
    else if (merged.state !== undefined) states.push(merged.state)
    else if (!merged.isLate) notUnderstood.push(entityId)
  }
  for (const entityId of purged) await replica.rows.purge(entityId, { at, by: null }, isLogged)
  const news = await materialise(replica, states, { at, strangers, numbers })
  return { ...news, purged, late, refused, notUnderstood }
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
