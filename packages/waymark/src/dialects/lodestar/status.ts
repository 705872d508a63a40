export const STATUSES = ['ready', 'done', 'verified', 'deleted'] as const
export type Status = (typeof STATUSES)[number]

/** As far as the status alone tells: what is done may be verified. */
export function toSpecStatus(status: string): Status {
  if (status === 'cancelled') return 'deleted'
  return status === 'done' ? 'done' : 'ready'
}
