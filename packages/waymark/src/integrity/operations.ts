import * as z from 'zod'
import type { Context } from '../core/context.ts'
import { cyclesOf } from '../graph/cycles-of.ts'
import { ACYCLIC_RELATION_TYPES } from '../relation/relation.ts'
import { defineOperation } from '../core/operation.ts'
import { Progress } from '../core/progress.ts'
import { findLost, LogCoverage } from '../sync/log/log-coverage.ts'
import { readLog } from '../sync/log/log-ref.ts'
import { readSegment } from '../sync/log/log-tree.ts'
import { loadLoro, type LoroModule } from '../sync/document/loro.ts'
import { checkContents } from '../artifact/content/check-contents.ts'
import { checkRefs } from './check-refs.ts'
import {
  checkCounters,
  checkCounts,
  checkFullText,
  checkMessages,
  checkOrder,
  checkRows,
  findStale,
} from './index-check.ts'
import { checkNotes, checkReadable } from './readable-check.ts'
import { findBroken, mend } from './repair.ts'
import { checkClock } from './clock-check.ts'
import { describeReasons, readSetAside } from '../sync/merge-report.ts'
import { counted, type Line, line } from '../core/show.ts'

const SHOWN = 10
/** Repairs per transaction, so that other writers are not blocked for long. */
const BATCH_SIZE = 200

const check = z.object({
  name: z.string(),
  status: z.enum(['ok', 'warning', 'failed']),
  message: z.string(),
  fix: z.string().optional().describe('What to do about it'),
  ids: z.array(z.string()).optional().describe('The first entities it is about'),
})
type Check = z.output<typeof check>

export const checkStore = defineOperation({
  name: 'store.check',
  summary:
    'Look whether documents, log, indexes and relations fit together; repair what can be rebuilt',
  example: '--repair',
  effect: 'write',
  isHeavy: true,
  input: z.object({
    repair: z.boolean().default(false).describe('Rebuild what is broken from what is not'),
  }),
  output: z.object({ ok: z.boolean(), repaired: z.int(), checks: z.array(check) }),
  async run(context, { repair }) {
    const loro = loadLoro()
    const progress = new Progress(context)
    // First, because later repairs may need the notes and the log.
    const refs = await checkRefs(context, repair)
    const broken = await findBroken(context, loro, progress)
    const unindexed = await findStale(context)
    const lost = repair ? await mend(context, loro, { broken, unindexed }, progress) : undefined
    const fix = repair ? undefined : 'waymark store check --repair'
    const checks = [
      toCheck(
        'documents',
        broken.map(({ id }) => id),
        {
          fine: 'every entity matches its document',
          wrong: 'entities differ from their documents',
          fix,
          lost,
        },
      ),
      toCheck('indexes', unindexed, {
        fine: 'every entity can be found',
        wrong: 'entities are indexed wrongly',
        fix,
        lost,
      }),
      await checkNotes(context, repair),
      await checkFullText(context, repair, progress),
      await checkCounters(context, repair),
      await checkCounts(context, repair),
      await checkClock(context, repair),
      await checkOrder(context),
      await checkReadable(context),
      await checkMessages(context),
      await checkRows(context, repair),
      ...refs.checks,
      ...(refs.isLogReadable ? await checkLog(context, loro, { repair, progress }) : []),
      await checkSetAside(context),
      await checkPurges(context),
      await checkStrays(context),
      await checkPushed(context),
      await checkReferences(context),
      await checkCycles(context),
      await checkContents(context),
      await checkSweep(context),
    ]
    const found = [...broken.map(({ id }) => id), ...unindexed]
    const repaired = found.filter((id) => lost?.has(id) === false).length
    return { ok: checks.every(({ status }) => status !== 'failed'), repaired, checks }
  },
  show: ({ checks }) => checks.flatMap(showCheck),
})

interface Words {
  readonly fine: string
  readonly wrong: string
  readonly fix: string | undefined
  /** Ids that could not be repaired; undefined if no repair was requested. */
  readonly lost?: ReadonlySet<string> | undefined
}

const RESTORE_FROM_BACKUP =
  'not recoverable here: run `waymark import <backup>`, then `waymark doctor --repair`'

/** A successful repair is a warning, so that the damage does not go unnoticed. */
function toCheck(name: string, ids: readonly string[], words: Words): Check {
  const { fine, wrong, fix, lost } = words
  if (ids.length === 0) return { name, status: 'ok', message: fine }
  const left = ids.filter((id) => lost?.has(id))
  if (left.length > 0) {
    const message = `${ids.length} ${wrong}; ${left.length} cannot be repaired`
    return {
      name,
      status: 'failed',
      message,
      fix: RESTORE_FROM_BACKUP,
      ids: left.slice(0, SHOWN),
    }
  }
  const message = `${ids.length} ${wrong}${fix === undefined ? '; repaired' : ''}`
  const found = { name, message, ids: ids.slice(0, SHOWN) }
  return fix === undefined ? { ...found, status: 'warning' } : { ...found, status: 'failed', fix }
}

async function checkLog(
  context: Context,
  loro: LoroModule,
  { repair, progress }: { readonly repair: boolean; readonly progress: Progress },
): Promise<Check[]> {
  if (context.code === undefined) return []
  const repository = await context.code.repository()
  const { tree } = await readLog(repository)
  const advance = progress.phase('checking the log', tree.size)
  const coverage = new LogCoverage()
  let damaged = 0
  let done = 0
  for (const [segment, blob] of tree) {
    context.signal.throwIfAborted()
    const read = await readSegment(repository, segment, blob)
    if (!read.isIntact && !read.isTooLarge) damaged += Math.max(read.damaged, 1)
    for (const line of read.lines) coverage.add(line)
    advance((done += 1))
  }
  const asked = await context.store.replica.purges.ids()
  const lost = (await findLost(context.store.replica, loro, coverage)).filter(
    (id) => !asked.has(id),
  )
  for (let at = 0; repair && at < lost.length; at += BATCH_SIZE) {
    const some = lost.slice(at, at + BATCH_SIZE)
    await context.store.write(({ replica }) => replica.forgetLogged(some))
  }
  return [toLogCheck(tree.size, damaged), toLossCheck(lost, repair)]
}

function toLogCheck(segments: number, damaged: number): Check {
  const name = 'log'
  if (damaged === 0)
    return { name, status: 'ok', message: `${counted(segments, 'segment')}, all readable` }
  return {
    name,
    status: 'warning',
    message: `${counted(damaged, 'line')} of the log cannot be read; what they said is here if it ever was`,
    fix: 'waymark sync, which replaces them if another clone has them whole',
  }
}

function toLossCheck(lost: readonly string[], repair: boolean): Check {
  const name = 'log history'
  if (lost.length === 0) return { name, status: 'ok', message: 'nothing is missing from the log' }
  return {
    name,
    status: 'warning',
    message: `the log no longer has all that was written there about ${counted(lost.length, 'entity')}; it is all here`,
    fix: repair
      ? 'waymark sync, which writes it again'
      : 'waymark store check --repair, then waymark sync',
    ids: lost.slice(0, SHOWN),
  }
}

async function checkSetAside(context: Context): Promise<Check> {
  const name = 'set aside'
  const { total, lines } = await readSetAside(context)
  if (total === 0) return { name, status: 'ok', message: 'every line of the log was merged' }
  const why = describeReasons(lines.map(({ reason }) => reason))
  return {
    name,
    status: 'warning',
    message: `${counted(total, 'line')} of the log, not taken in and left there: ${why}`,
    fix: 'waymark sync --json names them; after an update they are tried again, or with waymark sync --retry-set-aside',
  }
}

async function checkPurges({ store }: Context): Promise<Check> {
  const name = 'purges'
  const open = await store.replica.purges.open()
  if (open.length === 0) return { name, status: 'ok', message: 'none pending' }
  return {
    name,
    status: 'warning',
    message: `${counted(open.length, 'entity')} purged by other clones, and not yet here`,
    fix: 'waymark purge <id> erases one, waymark restore <id> keeps it here, waymark sync --accept-purges erases all',
    ids: open.map(({ entityId }) => entityId).slice(0, SHOWN),
  }
}

async function checkStrays({ store }: Context): Promise<Check> {
  const name = 'waiting changes'
  const count = await store.replica.countStrays()
  if (count === 0) return { name, status: 'ok', message: 'no change waits for a missing one' }
  const message = `${counted(count, 'change')} waiting for others that have not arrived`
  return { name, status: 'warning', message, fix: 'waymark sync' }
}

async function checkPushed({ store }: Context): Promise<Check> {
  const name = 'pushed'
  const { unpushed, refusal } = await store.replica.pushState.get()
  if (refusal === null && unpushed === 0) {
    return { name, status: 'ok', message: 'no change waits for a push' }
  }
  const message = `${counted(unpushed, 'entity')} written to the log and not pushed`
  const why = refusal === null ? '' : `: ${refusal}`
  return { name, status: 'warning', message: `${message}${why}`, fix: 'waymark sync' }
}

/** Finishes work that a process left pending because it ended early or the store was busy. */
async function checkSweep({ store }: Context): Promise<Check> {
  const name = 'purged content'
  if (await store.sweep()) return { name, status: 'ok', message: 'none is left behind' }
  const message = 'bytes of it are still in the files, because another process is reading them'
  return { name, status: 'warning', message, fix: 'waymark store check, when it has finished' }
}

async function checkReferences({ store }: Context): Promise<Check> {
  const name = 'references'
  const dangling = await store.replica.dangling()
  if (dangling.length === 0) return { name, status: 'ok', message: 'every relation has two ends' }
  return {
    name,
    status: 'warning',
    message: `${counted(dangling.length, 'relation')} to entities that others have deleted or not sent`,
    ids: [...new Set(dangling.map(({ sourceId }) => sourceId))].slice(0, SHOWN),
  }
}

async function checkCycles(context: Context): Promise<Check> {
  const name = 'cycles'
  const { cycles, isCut } = await cyclesOf(context, ACYCLIC_RELATION_TYPES)
  if (cycles.length === 0 && isCut) {
    const message = 'too many relations to look at all of them; nothing found waits for itself'
    return { name, status: 'warning', message }
  }
  if (cycles.length === 0) return { name, status: 'ok', message: 'no task waits for itself' }
  return {
    name,
    status: 'warning',
    message: `${cycles.length} cycles created by merges`,
    fix: 'waymark graph cycles shows them; delete one relation of each',
    ids: cycles.flat().slice(0, SHOWN),
  }
}

function showCheck({ name, status, message, fix }: Check): readonly Line[] {
  return [line`${status}: ${name}: ${message}`, ...(fix === undefined ? [] : [line`  ${fix}`])]
}
