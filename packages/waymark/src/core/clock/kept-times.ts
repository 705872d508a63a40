import { OFFLINE_AFTER_MS } from '../../agent/agent.ts'
import { ANSWERS_KEPT_MS } from '../idempotency.ts'
import type { Sql } from '../store/sql.ts'

/** A call from before a restart can be retried for this long after it. */
const ANSWERS_KEPT_AFTER_RESTART_MS = 60 * 60 * 1000

/**
 * Moves times that durations are measured from after the clock was set by `by`: leases keep their remaining length,
 * agents their presence, and kept answers and uploads their age. Dates of past events are not changed.
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
  await sql.run('UPDATE shared_lease SET expires_at = expires_at + ?, at = at + ?', [by, by])
  // When moving back, only rows dated ahead: the others are from before the clock was wrong.
  const after = by < 0 ? from + by : 0
  const seenAfter = Math.max(after, from - OFFLINE_AFTER_MS)
  for (const table of ['agent', 'agent_session']) {
    await sql.run(`UPDATE ${table} SET seen_at = seen_at + ? WHERE seen_at > ?`, [by, seenAfter])
  }
  await sql.run('UPDATE answer SET at = at + ? WHERE at > ?', [by, after])
  await sql.run('UPDATE artifact_upload SET at = at + ? WHERE at > ?', [by, after])
}

/**
 * After a restart the wall clock may be wrong. Answers that were valid before are kept for a while, however old they
 * look, because a call whose answer was lost in a power cut is retried soon after.
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
