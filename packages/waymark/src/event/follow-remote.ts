import { setTimeout as pause } from 'node:timers/promises'
import type { Remote } from '../core/remote.ts'
import type { EventRow } from './store.ts'

/** How long the server keeps a request open while nothing happens. */
const WAIT_SECONDS = 50
/** How long to wait before a server that is away is asked again. */
const AWAY_MS = 5000

type RemoteEvent = Pick<EventRow, 'type' | 'subject' | 'data'>

/** As `event.wait` answers; without its schema, which a server on pipes does not load before it is called. */
interface Page {
  readonly events: readonly RemoteEvent[]
  readonly next_cursor: number
  readonly latest: number
}

/** Reads the events of a team server as they come, until the signal is aborted. */
export async function followRemote(
  remote: Remote,
  signal: AbortSignal,
  tell: (events: readonly RemoteEvent[]) => void,
): Promise<void> {
  const call = async (operation: string, input: object): Promise<Page> => {
    const unnamed = { agent: undefined, idempotencyKey: undefined, signal }
    return (await remote.call({ ...unnamed, operation, input })) as Page
  }
  let cursor: number | undefined
  while (!signal.aborted) {
    try {
      // Start at the latest event: there were no subscribers before.
      cursor ??= (await call('event.list', { newest: true, limit: 1 })).latest
      const page = await call('event.wait', { since: cursor, seconds: WAIT_SECONDS })
      if (page.events.length > 0) tell(page.events)
      cursor = page.next_cursor
    } catch {
      await pause(AWAY_MS, undefined, { signal }).catch(() => {})
    }
  }
}
