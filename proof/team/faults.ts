import type { SourceFault } from '../system/program.ts'

const WRITER = 'core/postgres/writer.ts'

/** Mistakes of servers with several replicas. Some need several changes of the sources. */
export const TEAM_FAULTS: Readonly<Record<string, readonly SourceFault[]>> = {
  // Looks whether a task is free, then takes it, and nothing keeps others out in between.
  naive_claim: [
    {
      name: 'no-lock',
      file: WRITER,
      right: 'UPDATE project SET version = version + 1\n  RETURNING',
      wrong: 'SELECT',
    },
    {
      name: 'no-clock-row',
      file: 'core/clock/store.ts',
      right: "UPDATE counter SET value = ? WHERE name = 'clock' AND value BETWEEN ? AND ?",
      wrong: `SELECT FROM counter WHERE name = 'clock'
        AND CAST(? AS BIGINT) > 0 AND CAST(? AS BIGINT) > 0 AND CAST(? AS BIGINT) > 0`,
    },
    {
      name: 'no-guard',
      file: 'task/lease/store.ts',
      right: 'WHERE lease.parked_at IS NULL AND (lease.agent_id IS NULL OR lease.expires_at <= ?)',
      wrong: 'WHERE lease.expires_at <> ?',
    },
  ],
  // A sequence gives no number back when a transaction is undone.
  sequence_for_events: [
    {
      name: 'sequence',
      file: 'event/store.ts',
      right: "await nextNumber<EventId>(sql, 'event')",
      wrong: `(await sql.get<{ value: EventId }>("SELECT nextval('event_sequence') AS value"))?.value ?? (await nextNumber<EventId>(sql, 'event'))`,
    },
  ],
  notify_without_poll: [
    {
      name: 'no-poll',
      file: 'core/postgres/commit-listener.ts',
      right: '      void this.#poll()\n    }, POLL_MS)',
      wrong: '    }, POLL_MS)',
    },
    {
      name: 'no-first-poll',
      file: 'core/postgres/commit-listener.ts',
      right: '      await this.#poll()\n    } catch',
      wrong: '    } catch',
    },
  ],
  lost_answer_is_success: [
    {
      name: 'no-question',
      file: WRITER,
      right: "isLost(error) ? await this.#findOutcome(lock) : 'aborted'",
      wrong: "isLost(error) ? 'committed' : 'aborted'",
    },
  ],
}
