import type { Output } from '../api.ts'

type Lanes = Output<'lane.list'>
type Lease = Lanes['spans'][number]

/** How a lease ended. */
export type End = Lease['end']

/** One lease: who held which task from when to when. Times are milliseconds since 1970. */
export interface Span extends Pick<
  Lease,
  'task' | 'title' | 'from' | 'end' | 'reason' | 'renewals'
> {
  readonly agentId: string
  readonly agent: string
  /** Now, while it is held. */
  readonly to: number
}

/** A message as a dot on the lane of its sender. */
export interface MessageDot extends Pick<Lanes['messages'][number], 'at' | 'severity' | 'task'> {
  readonly agentId: string
}
