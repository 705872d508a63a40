import { parseStreamId } from '../event-id.ts'
import { StreamWatchers } from '../stream-watchers.ts'
import type { SessionTables } from './session-database.ts'

/** How late the events of another process may be noticed when its signal was lost. */
const POLL_MS = 1_000

interface PollRow {
  readonly event_tag: string
  readonly number: number
  readonly last_sequence: number
  readonly closed_at: number | null
}

/** Wakes readers of streams: at once in this process, by signals between processes, and by a slow poll. */
export class StreamWakeUps {
  readonly #tables: SessionTables
  readonly #watchers = new StreamWatchers()
  /** What the last poll saw, by stream. */
  #seen = new Map<string, string>()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(tables: SessionTables) {
    this.#tables = tables
  }

  watch(streamId: string, wake: () => void): () => void {
    const stop = this.#watchers.add(streamId, wake)
    const stopSignals = this.#tables.database.watch(streamId, wake)
    this.#timer ??= this.#start()
    return () => {
      stop()
      stopSignals()
      if (this.#watchers.size === 0) this.stop()
    }
  }

  /** This process has changed the stream. A stream that is read here is rarely read elsewhere too. */
  changed(streamId: string): void {
    if (this.#watchers.has(streamId)) this.#watchers.wake(streamId)
    else this.#tables.database.signal(streamId)
  }

  /** Wakes all readers, because their session may have ended. */
  sessionsEnded(): void {
    this.#watchers.wakeAll()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#seen.clear()
  }

  #start(): ReturnType<typeof setInterval> {
    const timer = setInterval(() => {
      // The next poll tries again.
      this.#poll().catch(() => {})
    }, POLL_MS)
    timer.unref?.()
    return timer
  }

  async #poll(): Promise<void> {
    const streamIds = this.#watchers.streamIds()
    const states = await this.#readStates(streamIds)
    const seen = this.#seen
    this.#seen = states
    // Also when it was never polled: it may have grown before the first time.
    for (const streamId of streamIds)
      if (!states.has(streamId) || seen.get(streamId) !== states.get(streamId))
        this.#watchers.wake(streamId)
  }

  async #readStates(streamIds: readonly string[]): Promise<Map<string, string>> {
    const { database, schema } = this.#tables
    const positions = streamIds.flatMap((streamId) => parseStreamId(streamId) ?? [])
    const rows = await database.query<PollRow>(
      `SELECT event_tag, number, last_sequence, closed_at FROM ${schema}.mcp_stream
         JOIN unnest($1::text[], $2::bigint[]) AS t (event_tag, number) USING (event_tag, number)`,
      [positions.map(({ tag }) => tag), positions.map(({ stream }) => stream)],
    )
    return new Map(
      rows.map((row) => [
        `${row.event_tag}.${row.number}`,
        `${row.last_sequence} ${row.closed_at ?? 'open'}`,
      ]),
    )
  }
}
