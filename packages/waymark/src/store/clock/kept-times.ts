import { OFFLINE_AFTER_MS } from '../../domain/agent.ts'
import { ANSWERS_KEPT_MS } from '../answers.ts'
import type { Sql } from '../sql.ts'

/** For so long after a restart a call can be repeated that was made before it. */
const ANSWERS_KEPT_AFTER_RESTART_MS = 60 * 60 * 1000

/**
 * Moves the times that decide how long something lasts, after the clock was set: leases last as long as they would have,
 * agents stay present, answers and uploads are kept. What only says when something happened stays as it is.
 */
export async function moveTimes(
  sql: Sql,
  { from, by }: { readonly from: number; readonly by: number },
): Promise<void> {
  await sql.run(
    `UPDATE lease SET expires_at = expires_at + ?, granted_at = granted_at + ?
      WHERE agent_id IS NOT NULL AND expires_at > ?`,
    [by, by, from],
  )
  // Backwards only what is dated ahead: everything else is from before the clock was wrong.
  const after = by < 0 ? from + by : 0
  await sql.run('UPDATE agent SET seen_at = seen_at + ? WHERE seen_at > ?', [
    by,
    Math.max(after, from - OFFLINE_AFTER_MS),
  ])
  await sql.run('UPDATE answer SET at = at + ? WHERE at > ?', [by, after])
  await sql.run('UPDATE artifact_upload SET at = at + ? WHERE at > ?', [by, after])
}

/**
 * After a restart the wall clock may be wrong, and a call whose answer was lost with the power is repeated soon: what
 * was remembered before is remembered for a while, however much time seems to have passed.
 */
export async function keepAnswers(
  sql: Sql,
  { before, now }: { readonly before: number; readonly now: number },
): Promise<void> {
  const at = now - ANSWERS_KEPT_MS + ANSWERS_KEPT_AFTER_RESTART_MS
  await sql.run('UPDATE answer SET at = ? WHERE at BETWEEN ? AND ?', [
    at,
    before - ANSWERS_KEPT_MS,
    at,
  ])
}
