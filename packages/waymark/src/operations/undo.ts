import * as z from 'zod'
import { Failure } from '../error.ts'
import { defineOperation } from '../operation.ts'
import { violation } from '../parse.ts'
import {
  type FactChange,
  type Facts,
  History,
  type HistoryEntry,
  isSameFact,
} from '../replica/history.ts'
import { type LoroModule, loadLoro } from '../replica/loro.ts'
import { toRelationName } from '../store/ops.ts'
import type { FoundRow } from '../store/replica-rows.ts'
import { type Change, change, tryChange } from './change.ts'
import { relateAgain, type Restored, revert, revive } from './restore.ts'

const outcome = z.enum(['reverted', 'deleted', 'restored', 'kept'])

export const undoChanges = defineOperation({
  name: 'history.undo',
  summary: 'Take back what an author changed since a time, unless others have changed it further',
  effect: 'write',
  mayDelete: true,
  input: z.object({
    author: z.string().min(1).describe('Name beside the changes'),
    since: z.string().describe('Time like 2026-11-15T12:00:00Z'),
    dry_run: z.boolean().default(false).describe('Only say what would be taken back'),
  }),
  output: z.object({
    author: z.string(),
    dry_run: z.boolean(),
    entities: z.array(
      z.object({
        id: z.string(),
        number: z.int(),
        title: z.string(),
        outcome: outcome.describe('kept: others have changed it since'),
        fields: z.array(z.string()).describe('What was taken back'),
        kept: z.array(z.string()).describe('What was not, because of what others have done since'),
      }),
    ),
  }),
  positional: ['author', 'since'],
  async run(context, { author, since, dry_run }) {
    const from = Date.parse(since)
    if (Number.isNaN(from)) throw violation('since', 'bad_format', 'must be a time in ISO 8601')
    const loro = loadLoro()
    const run = dry_run ? tryChange : change
    return await run(context, async (change) => {
      const plans: [FoundRow, Plan][] = []
      for (const id of await change.replica.changedSince(from)) {
        const found = await change.replica.rows.find(id)
        const plan = found && (await planUndo(change, loro, found, { author, from }))
        if (found !== undefined && plan !== undefined) plans.push([found, plan])
      }
      // All are made before the first is carried out: what that changes is nothing to take back.
      const refused: Refused[] = []
      for (const [found, plan] of plans)
        refused.push(...(await carryOut(change, loro, found, plan)))
      const entities = plans.map(([{ row }, plan]) => {
        const { id, number, title } = row
        return { id, number, title, ...toResult(plan, namesOf(refused, id)) }
      })
      return { author, dry_run, entities }
    })
  },
})

interface Plan {
  readonly outcome: z.output<typeof outcome>
  /** What goes back to what it was. */
  readonly back: readonly FactChange[]
  readonly kept: string[]
  readonly facts: Facts
}

async function planUndo(
  { replica }: Change,
  loro: LoroModule,
  { row, deleted }: FoundRow,
  { author, from }: { readonly author: string; readonly from: number },
): Promise<Plan | undefined> {
  const ops = await replica.ops(row.id)
  using history = new History(loro, row.id, await replica.document(row.id), ops)
  const { versions } = history
  const all = versions.filter(({ at, by }) => by === author && at >= from)
  const [first] = all
  if (first === undefined) return undefined
  const others = versions.some(({ version, by }) => version > first.version && by !== author)
  if (first.version === 1 && !others) {
    const outcome = deleted === undefined ? 'deleted' : 'kept'
    return { outcome, back: [], kept: [], facts: history.facts }
  }
  // What others have made their own stays, and with it what it began with.
  const own = all.filter(({ version }) => version !== 1)
  const changed = summarise(history.entries(own.map(({ version }) => version)))
  const back = changed.filter(({ name, to }) => isSameFact(history.facts.get(name), to))
  const kept = changed.filter((change) => !back.includes(change)).map(({ name }) => name)
  const facts = new Map(history.facts)
  for (const { name, from } of back) {
    if (from === undefined) facts.delete(name)
    else facts.set(name, from)
  }
  const isRestored = deleted !== undefined && back.some(({ name }) => name === 'deleted')
  const outcome = back.length === 0 ? 'kept' : isRestored ? 'restored' : 'reverted'
  return { outcome, back, kept, facts }
}

/** From before the first of changes that nobody came between to after the last, for each thing that they changed. */
function summarise(entries: readonly HistoryEntry[]): FactChange[] {
  const summary = new Map<string, FactChange>()
  for (const { name, from, to } of entries.flatMap(({ changes }) => changes)) {
    if (name === 'number') continue
    const earlier = summary.get(name)
    // What somebody else has made of it in between is what it goes back to.
    const isOwn = earlier !== undefined && isSameFact(earlier.to, from)
    summary.set(name, { name, from: isOwn ? earlier.from : from, to })
  }
  return [...summary.values()].filter(({ from, to }) => !isSameFact(from, to))
}

/** What could not be taken back after all, because of what others have done. */
interface Refused {
  readonly id: string
  readonly name: string
}

async function carryOut(
  change: Change,
  loro: LoroModule,
  found: FoundRow,
  { outcome, back, facts }: Plan,
): Promise<readonly Refused[]> {
  if (outcome === 'kept') return []
  const { id } = found.row
  if (outcome === 'deleted') {
    for (const relation of await change.relations.removeAllOf(id, change.stamp)) {
      const { sourceId, type, targetId } = relation
      await change.announce('relation.deleted', sourceId, { type, target: targetId })
    }
    await change.entities.remove(id, change.stamp)
    const { type, number, title, revision } = found.row
    await change.announce('entity.deleted', id, { type, number, title, revision })
    return []
  }
  const revived = outcome === 'restored' ? await revive(change, loro, found) : { row: found.row }
  if (revived === undefined)
    throw new Failure('internal', `entity ${found.row.number} cannot be read`)
  const refused = toRefused(revived, id)
  for (const { name, from } of back) {
    if (!(await undoRelation(change, id, name, from !== undefined))) refused.push({ id, name })
  }
  if (back.some(({ name }) => !name.startsWith('relation ') && name !== 'deleted')) {
    refused.push(...toRefused((await revert(change, revived.row, facts)) ?? {}, id))
  }
  return refused
}

function toRefused({ refused = [], lostKey }: Partial<Restored>, id: string): Refused[] {
  const relations = refused.map((relation) => ({
    id: relation.sourceId,
    name: `relation ${toRelationName(relation)}`,
  }))
  return lostKey === undefined ? relations : [...relations, { id, name: 'properties.key' }]
}

function namesOf(refused: readonly Refused[], id: string): ReadonlySet<string> {
  return new Set(refused.filter((one) => one.id === id).map(({ name }) => name))
}

function toResult({ outcome, back, kept }: Plan, refused: ReadonlySet<string>) {
  const fields = back.map(({ name }) => name).filter((name) => !refused.has(name))
  const isKept = outcome === 'reverted' && fields.length === 0
  return { outcome: isKept ? ('kept' as const) : outcome, fields, kept: [...kept, ...refused] }
}

/** False when it cannot be drawn again. */
async function undoRelation(
  change: Change,
  sourceId: string,
  name: string,
  wasThere: boolean,
): Promise<boolean> {
  const [kind, type = '', targetId = ''] = name.split(' ')
  if (kind !== 'relation') return true
  if (wasThere) return await relateAgain(change, { sourceId, type, targetId })
  // With the entity it led to, it may be gone already.
  if (await change.relations.remove({ sourceId, type, targetId }, change.stamp)) {
    await change.announce('relation.deleted', sourceId, { type, target: targetId })
  }
  return true
}
