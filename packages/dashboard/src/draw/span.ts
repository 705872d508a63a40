import type { Output } from '../api.ts'

type Lease = Output<'lane.list'>['spans'][number]

/** How a lease ended. */
export type End = Lease['end']

/** One lease: who held which task from when to when. Times are milliseconds since 1970. */
export interface Span extends Pick<Lease, 'task' | 'title' | 'from' | 'end' | 'reason'> {
  readonly agentId: string
  readonly agent: string
  /** Now, while it is held. */
  readonly to: number
}
