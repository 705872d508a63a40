import * as z from 'zod'
import type { SetAside } from '../annotation/notes/note-limits.ts'
import type { Context } from '../core/context.ts'
import type { LogSync } from './log-exchange.ts'
import type { MergeReport } from './merge/merge.ts'
import { describePurges, purgeView, type PurgeView } from './merge/purge-requests.ts'
import {
  readSetAside,
  setAside,
  mergeCounts,
  mergeRemarks,
  toSetAsideView,
  toMergeCounts,
  toMergeRemarks,
} from './merge-report.ts'
import type { Remote } from './remote/remote.ts'

/** Maximum number of remotely deleted entities that the report names. */
const MOST_NAMED = 20

const count = z.int().min(0)

const claimsElsewhere = z.array(
  z.object({ id: z.string(), number: z.int(), title: z.string(), by: z.string() }),
)

export const syncReport = z.object({
  remote: z.string().optional().describe('Absent when this repository has no remote'),
  dry_run: z.boolean(),
  received: z
    .object({ ...mergeCounts, notes: count.describe('Commits whose annotations grew') })
    .describe('Changes received'),
  sent: z.object({ entities: count, pushed: z.boolean() }).describe('Changes sent'),
  ...mergeRemarks,
  purges: z
    .array(purgeView)
    .describe('Entities that another clone has purged; confirm to purge them here'),
  deletions: z
    .array(z.object({ id: z.string(), number: z.int(), title: z.string() }))
    .describe('The first entities that were deleted elsewhere; they can be restored'),
  set_aside: setAside.describe(
    'Lines of the log that break a limit or are not signed, and were not taken in',
  ),
  unreadable: z
    .array(z.string())
    .describe('Entities whose history is damaged here; they were not sent'),
  notes_set_aside: z
    .array(
      z.object({
        ref: z.string(),
        commit: z.string(),
        hash: z.string().describe('Blob of the note'),
        problem: z.string(),
      }),
    )
    .describe('Fetched notes that exceed a limit: kept in Git, not read'),
  claims: z
    .object({
      lost: claimsElsewhere.describe('Claims of this clone that another clone has won'),
      reopened: claimsElsewhere.describe(
        'Tasks that were closed here while another clone held them: they stay in progress there',
      ),
    })
    .describe('Answer of the remote that grants claims'),
  notice: z
    .string()
    .optional()
    .describe(
      'Git settings that concern the remote: ignored ones with the remedies, and read-only',
    ),
})
export type SyncReport = z.output<typeof syncReport>
/** What the exchange of knowledge and annotations has done. */
export type ExchangeReport = Omit<SyncReport, 'claims' | 'notice'>

/** The sums over all rounds of an exchange. */
export interface Exchanged {
  readonly incoming: MergeReport
  /** How many commits have got more annotations. */
  notes: number
  /** How many entities have been written to the log. */
  sent: number
  isPushed: boolean
  /** By commit and blob, so that each note is reported once. */
  readonly notesSetAside: Map<string, SetAside>
  /** Ids purged because another clone purged them. */
  readonly purged: PurgeView[]
}

export async function toReport(
  { context, unreadable }: LogSync,
  remote: Remote | undefined,
  { incoming, sent, notes, isPushed, purged, notesSetAside }: Exchanged,
): Promise<ExchangeReport> {
  const { damaged, total, lines } = await readSetAside(context)
  return {
    ...(remote !== undefined && { remote: remote.name }),
    dry_run: false,
    received: { ...toMergeCounts(incoming), purged: await countAsked(context, incoming), notes },
    sent: { entities: sent, pushed: isPushed },
    ...(await toMergeRemarks(context, incoming)),
    damaged: incoming.damaged + damaged,
    purges: [...purged, ...(await describePurges(context))],
    deletions: toDeletions(incoming),
    set_aside: toSetAsideView(lines, total),
    unreadable: [...unreadable],
    notes_set_aside: [...notesSetAside.values()],
  }
}

function toDeletions({ deletions }: MergeReport): SyncReport['deletions'] {
  const inOrder = deletions.toSorted((a, b) => a.number - b.number)
  return inOrder.slice(0, MOST_NAMED).map(({ id, number, title }) => ({ id, number, title }))
}

/** How many of the entities that others have purged were known here. */
async function countAsked({ store }: Context, { asked }: MergeReport): Promise<number> {
  let count = 0
  for (const id of new Set(asked)) {
    const found = await store.replica.named({ prefix: id.replaceAll('-', '') })
    if (found.length > 0) count += 1
  }
  return count
}
