import type { Context } from '../../core/context.ts'
import type { Remote } from '../../core/remote.ts'
import { ifReadable } from '../../core/store/stored-json.ts'
import { loadLoro } from '../document/loro.ts'
import { parseLine } from '../log/log-line.ts'
import { toOutgoing } from '../log/outgoing.ts'
import {
  applyLines,
  emptyMergeReport,
  flushLocalChanges,
  type MergeReport,
} from '../merge/merge.ts'
import { settlePurges } from '../merge/purge-requests.ts'

/** Entities of one request, and its characters, unless a single line has more. */
const BATCH_SIZE = 200
const LARGE = 1024 * 1024

/** A page as `replica.read` answers. */
interface Page {
  readonly lines: readonly string[]
  readonly next?: string
  readonly at: string
}

interface Pull {
  /** Only what has changed since then; everything when absent. */
  readonly since?: string | undefined
  /** Erase what was purged there. Otherwise it is deleted, restorably, until that is confirmed here. */
  readonly acceptsPurges?: boolean
}

export interface Pulled {
  /** When the first page was read, by the server's clock: what changed later is read with the next pull. */
  readonly at: string
  readonly report: MergeReport
}

/** Takes in what a team server has, with its history, into the store of the context. */
export async function pull(
  context: Context,
  remote: Remote,
  { since, acceptsPurges = false }: Pull,
): Promise<Pulled> {
  const loro = loadLoro()
  const report = emptyMergeReport()
  let at: string | undefined
  for (let after = ''; ;) {
    const input = { after, limit: BATCH_SIZE, ...(since !== undefined && { since }) }
    const page = (await ask(context, remote, { operation: 'replica.read', input })) as Page
    at ??= page.at
    const lines = page.lines.map(parseLine).filter((line) => line !== undefined)
    const received = { via: 'sync', remote: remote.url } as const
    const arrived = { lines, isLogged: false, received, acceptsPurges }
    await applyLines(context, loro, arrived, report)
    if (page.next === undefined) {
      if (!acceptsPurges) await settlePurges(context, loro, { isAccepted: false, incoming: report })
      return { at, report }
    }
    after = page.next
  }
}

export interface Pushed {
  /** How many entities were sent. */
  readonly sent: number
  /** What happened to them at the server. */
  readonly created: number
  readonly updated: number
  readonly relations: number
  readonly renumbered: readonly object[]
  /** Those whose history is damaged here, and was not sent. */
  readonly unreadable: readonly string[]
}

/** Sends everything that the store of the context has, with its history, to a team server. */
export async function push(context: Context, remote: Remote): Promise<Pushed> {
  const loro = loadLoro()
  await flushLocalChanges(context, loro)
  const unreadable: string[] = []
  const total = { sent: 0, created: 0, updated: 0, relations: 0, renumbered: [] as object[] }
  let lines: string[] = []
  let size = 0
  const flush = async (): Promise<void> => {
    if (lines.length === 0) return
    const answer = await ask(context, remote, { operation: 'replica.take', input: { lines } })
    const taken = answer as Omit<Pushed, 'sent' | 'unreadable'>
    total.created += taken.created
    total.updated += taken.updated
    total.relations += taken.relations
    total.renumbered.push(...taken.renumbered)
    lines = []
    size = 0
  }
  for (let last = ''; ;) {
    const page = await context.store.replica.documents(last, BATCH_SIZE)
    for (const stored of page) {
      const outgoing = ifReadable(() => toOutgoing(loro, stored, { sinceStart: true }))
      if (outgoing === undefined) unreadable.push(stored.entityId)
      for (const one of outgoing?.lines ?? []) {
        if (size + one.length > LARGE || lines.length >= BATCH_SIZE) await flush()
        lines.push(one)
        size += one.length
      }
      if (outgoing !== undefined) total.sent += 1
    }
    last = page.at(-1)?.entityId ?? last
    if (page.length === 0) break
  }
  await flush()
  return { ...total, unreadable }
}

async function ask(
  context: Context,
  remote: Remote,
  { operation, input }: { readonly operation: string; readonly input: object },
): Promise<unknown> {
  const { signal } = context
  // Both can be repeated without an idempotency key: merging the same lines twice changes nothing.
  return await remote.call({
    operation,
    input,
    agent: undefined,
    idempotencyKey: undefined,
    signal,
  })
}
