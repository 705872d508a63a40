import { call } from '../../data/call.ts'
import { now } from '../../data/live/clock.ts'
import type { MessageDot, Span } from '../../draw/span.ts'

export interface Spans {
  readonly spans: readonly Span[]
  readonly messages: readonly MessageDot[]
  /** How much happened: begin of each bucket and its events. */
  readonly activity: readonly (readonly [number, number])[]
  /** Whether there are more than one answer holds. */
  readonly isCut: boolean
}

/** The strip under the lanes has about so many columns. */
const BUCKETS = 240

/** Leases that ended after a time or are still held, the earliest first, with messages and how much happened. */
export async function loadSpans(since: number, signal: AbortSignal): Promise<Spans> {
  const from = new Date(since).toISOString()
  const answer = await call('lane.list', { from }, { signal })
  const names = new Map(answer.agents.map(({ id, name = id }) => [id, name]))
  const spans = answer.spans
    .map(({ agent_id: agentId, to, ...lease }) => ({
      ...lease,
      agentId,
      agent: names.get(agentId) ?? agentId,
      to: to ?? Math.max(now.peek(), lease.from),
    }))
    .toSorted((one, other) => one.from - other.from)
  const begin = spans[0]?.from ?? since
  const bucket = Math.max(1, Math.ceil((now.peek() - begin) / BUCKETS / 1000))
  const counts = await call(
    'event.counts',
    { from: new Date(begin).toISOString(), bucket },
    { signal },
  )
  return {
    spans,
    messages: answer.messages.map(({ agent_id: agentId, ...message }) => ({ ...message, agentId })),
    activity: counts.buckets.map(([at, , count]) => [at, count] as const),
    isCut: answer.truncated,
  }
}
