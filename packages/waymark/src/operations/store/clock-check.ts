import type { Context } from '../../context.ts'
import { describeLead } from '../../domain/duration.ts'
import { toTime } from '../../domain/moment.ts'
import { FIX, type IndexCheck } from '../store-index-check.ts'

/** Smaller differences are normal while a time server corrects the clock. */
const TOLERATED_MS = 10 * 60_000

/** No store is older than this. */
const EARLIEST = Date.UTC(2026, 0)

/** Compares the clock of the store with the machine's. */
export async function checkClock(context: Context, repair: boolean): Promise<IndexCheck> {
  const name = 'clock'
  const { store } = context
  const lead = await store.lead(context)
  if (Math.abs(lead) <= TOLERATED_MS) return { name, ...checkOwnClock(context) }
  const message = `the clock of the store is ${describeLead(lead)} this machine's`
  const now = toTime(context.now())
  if (context.now() < EARLIEST) {
    return {
      name,
      status: 'warning',
      message,
      fix: `set the clock of this machine, which says ${now}`,
    }
  }
  if (!repair) {
    return { name, status: 'warning', message, fix: `if it is really ${now}, ${FIX}` }
  }
  await store.write((tx) => tx.setTime(context), context)
  const kept = 'entities and events from that time keep their dates'
  return { name, status: 'warning', message: `${message}; repaired, ${kept}` }
}

function checkOwnClock(context: Context): Omit<IndexCheck, 'name'> {
  const error = context.clockError()
  if (error === 0) return { status: 'ok', message: 'the store and this machine agree on the time' }
  return {
    status: 'warning',
    message: `the clock of this process is ${describeLead(error)} the machine's, which is used`,
    fix: 'start it without what changes its time, such as LD_PRELOAD with libfaketime',
  }
}
