import type { EventRow } from '../../event/store.ts'
import { type AgentId, toAgentId } from '../../agent/agent.ts'

/** Types of events from which leases are read. */
export const LANE_EVENTS = [
  'task.claimed',
  'task.renewed',
  'lease.moved',
  'task.done',
  'task.cancelled',
  'task.released',
  'lease.ended',
  'lease.expired',
  'entity.deleted',
] as const

export const SPAN_ENDS = [
  'done',
  'cancelled',
  'released',
  'taken_back',
  'expired',
  'moved',
  'held',
] as const
type SpanEnd = (typeof SPAN_ENDS)[number]

const ENDS: Readonly<Record<string, SpanEnd>> = {
  'task.done': 'done',
  'task.cancelled': 'cancelled',
  'task.released': 'released',
  'lease.ended': 'taken_back',
  'lease.expired': 'expired',
  'entity.deleted': 'cancelled',
}

/** One lease from its begin to its end. Times are milliseconds since 1970. */
export interface Span {
  readonly agentId: AgentId
  readonly task: number
  readonly title: string
  fence: number
  readonly from: number
  to: number | null
  end: SpanEnd
  reason: string | null
  /** When it was renewed. */
  readonly renewals: number[]
}

/** A task that went from one agent to another. */
export interface Handover {
  readonly task: number
  readonly from: AgentId
  readonly to: AgentId
  readonly at: number
}

/** Folds events, oldest first, into leases. */
export class SpanReader {
  readonly spans: Span[] = []
  readonly handovers: Handover[] = []
  readonly #open = new Map<string, Span>()
  readonly #lastHolder = new Map<string, AgentId>()

  read({ type, subject, at, agentId, data }: EventRow): void {
    const { agent_id, number, title, fence, reason } = data
    const holder = typeof agent_id === 'string' ? toAgentId(agent_id) : agentId
    const current = this.#open.get(subject)
    if (type === 'task.renewed' && current !== undefined) {
      current.renewals.push(at)
      current.fence = Number(fence ?? current.fence)
      return
    }
    // A lease that began before the events that are left is known from its first sign of life.
    const isBegin = type === 'task.claimed' || type === 'lease.moved' || type === 'task.renewed'
    if (isBegin && holder !== undefined) {
      if (current !== undefined) this.#close(subject, at, { end: 'moved', reason: null })
      this.#begin(subject, {
        agentId: holder,
        task: Number(number),
        title: typeof title === 'string' ? title : '',
        fence: Number(fence ?? 0),
        from: at,
        to: null,
        end: 'held',
        reason: null,
        renewals: [],
      })
      return
    }
    const end = ENDS[type]
    if (end !== undefined && current !== undefined)
      this.#close(subject, at, { end, reason: typeof reason === 'string' ? reason : null })
  }

  #begin(subject: string, span: Span): void {
    const before = this.#lastHolder.get(subject)
    const { agentId: to, task, from: at } = span
    if (before !== undefined && before !== to) this.handovers.push({ task, from: before, to, at })
    this.#lastHolder.set(subject, to)
    this.#open.set(subject, span)
    this.spans.push(span)
  }

  #close(subject: string, at: number, { end, reason }: Pick<Span, 'end' | 'reason'>): void {
    const span = this.#open.get(subject)
    if (span === undefined) return
    Object.assign(span, { to: at, end, reason })
    this.#open.delete(subject)
  }
}
