import * as z from 'zod'
import { moment } from '../../task/fields.ts'
import type { ReadContext } from '../../core/context.ts'
import { defineOperation } from '../../core/operation.ts'
import { counted, line, own } from '../../core/show.ts'
import { ifReadable } from '../../core/store/stored-json.ts'
import { time, toTime } from '../../entity/view.ts'
import { parseMoment } from '../../support/text/moment.ts'
import { loadLoro } from '../document/loro.ts'
import { parseLine } from '../log/log-line.ts'
import { toOutgoing } from '../log/outgoing.ts'
import { applyLines, emptyMergeReport } from '../merge/merge.ts'
import type { StoredDocument } from '../merge/store.ts'
import { takenView, toMergeCounts, toMergeRemarks } from '../merge-report.ts'
import { showTaken } from '../show.ts'

/** Characters of one answer or request; a single line may be longer. */
const LARGE = 1024 * 1024
const MOST_LINES = 1000

export const readReplica = defineOperation({
  name: 'replica.read',
  summary: 'Read all entities with their history, for a copy of the project',
  example: '--since 2026-11-15T12:00:00Z',
  effect: 'read',
  input: z.object({
    since: moment().optional().describe('Only entities that have changed since then'),
    after: z.string().max(100).default('').describe('Cursor: `next` of the page before'),
    limit: z.int().min(1).max(500).default(200).describe('How many entities at most'),
  }),
  output: z.object({
    lines: z.array(z.string()).describe('Changes, as in the log of `waymark sync`'),
    next: z.string().optional().describe('Pass it as after to go on; absent at the end'),
    at: time.describe('When it was read, by the clock of the store'),
  }),
  async run(context, { since, after, limit }) {
    const at = await context.store.now(context)
    // Changes get their place in history when they are gathered; a copy must not get another one.
    context.upkeep.later('gatheredChanges', null)
    await context.upkeep.settle()
    const found = await documentsAfter(context, { since, after, limit })
    const loro = loadLoro()
    const lines: string[] = []
    let size = 0
    let last = ''
    for (const stored of found) {
      if (size > LARGE) break
      const outgoing = ifReadable(() => toOutgoing(loro, stored, { sinceStart: true }))
      lines.push(...(outgoing?.lines ?? []))
      for (const one of outgoing?.lines ?? []) size += one.length
      last = stored.entityId
    }
    const isOver = found.length < limit && last === (found.at(-1)?.entityId ?? '')
    return { lines, ...(!isOver && { next: last }), at: toTime(at) }
  },
  show: ({ lines, next }) => [
    line`${own(counted(lines.length, 'line'))} of changes; read them with --json`,
    ...(next === undefined ? [] : [line`more: waymark replica read --after ${next}`]),
  ],
})

interface Wanted {
  readonly since: string | undefined
  readonly after: string
  readonly limit: number
}

async function documentsAfter(
  { store: { replica } }: ReadContext,
  { since, after, limit }: Wanted,
): Promise<readonly StoredDocument[]> {
  const from = since === undefined ? undefined : parseMoment(since)
  if (from === undefined) return await replica.documents(after, limit)
  const ids = (await replica.changedSince(from)).filter((id) => id > after).slice(0, limit)
  const found = await Promise.all(ids.map((id) => replica.document(id)))
  return found.filter((stored) => stored !== undefined)
}

export const takeReplica = defineOperation({
  name: 'replica.take',
  summary: 'Take in entities with their history from a copy; what is here already stays',
  example: '--input \'{"lines":[]}\'',
  effect: 'write',
  input: z.object({
    lines: z.array(z.string().min(1)).max(MOST_LINES).describe('As replica.read has answered'),
  }),
  output: takenView,
  async run(context, { lines: given }) {
    const lines = given.map(parseLine).filter((line) => line !== undefined)
    const incoming = emptyMergeReport()
    incoming.damaged += given.length - lines.length
    const arrived = { lines, isLogged: false, received: { via: 'import' } } as const
    await applyLines(context, loadLoro(), arrived, incoming)
    return {
      ...toMergeCounts(incoming),
      ...(await toMergeRemarks(context, incoming)),
      left_alone: [...new Set(incoming.leftAlone)],
    }
  },
  show: showTaken,
})
