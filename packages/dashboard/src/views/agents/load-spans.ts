import { call } from '../../data/call.ts'
import { now } from '../../data/live/clock.ts'
import type { Span } from '../../draw/span.ts'

interface Spans {
  readonly spans: readonly Span[]
  /** Whether there are more than one answer holds. */
  readonly isCut: boolean
}

/** Leases that ended after a time or are still held, the earliest first. */
export async function loadSpans(since: number, signal: AbortSignal): Promise<Spans> {
  const from = new Date(since).toISOString()
  const answer = await call('lane.list', { from }, { signal })
  const names = new Map(answer.agents.map(({ id, name = id }) => [id, name]))
  const spans = answer.spans.map(({ agent_id: agentId, to, ...lease }) => ({
    ...lease,
    agentId,
    agent: names.get(agentId) ?? agentId,
    to: to ?? Math.max(now.peek(), lease.from),
  }))
  return { spans: spans.toSorted((one, other) => one.from - other.from), isCut: answer.truncated }
}
