import { describeDuration } from '../support/text/duration.ts'
import type { Delivered } from '../sync/transfer/deliver.ts'
import { type LeaseNotice, showNotice as showLeaseNotice } from '../task/lease/notices.ts'
import { type Line, line, own, titled } from './show.ts'

/** What a caller is told beside the answer. */
export type Notice = LeaseNotice | OfflineNotice | DeliveredNotice

/** The answer comes from the copy of a joined clone. */
interface OfflineNotice {
  readonly how: 'offline'
  readonly url: string
  readonly ageMs: number
}

/** What waited for the team server has got there. */
interface DeliveredNotice extends Delivered {
  readonly how: 'delivered'
}

/** A notice as one line for a model. */
export function showNotice(notice: Notice): Line {
  if (notice.how === 'offline') {
    const age = own(describeDuration(Math.max(0, notice.ageMs)))
    return line`offline: ${notice.url} cannot be reached; this is what was known there ${age} ago, without leases and messages`
  }
  if (notice.how !== 'delivered') return showLeaseNotice(notice)
  const sent = line`delivered: ${notice.sent} messages and notes that waited for the team server`
  const [why] = notice.refused
  return why === undefined
    ? sent
    : line`${sent}; ${notice.refused.length} were refused there: ${titled(why)}`
}
