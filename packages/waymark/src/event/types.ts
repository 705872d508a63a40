import { violation } from '../core/input/parse.ts'
import { quote } from '../support/text/visible-text.ts'

/** What can happen, as `noun.verbed`. Events of other versions may have other types. */
const EVENT_TYPES = [
  'agent.edited',
  'agent.heartbeat',
  'agent.joined',
  'agent.left',
  'agent.reminded',
  'agent.resumed',
  'annotation.carried',
  'annotation.corrected',
  'annotation.created',
  'annotation.forgotten',
  'annotation.imported',
  'annotation.merged',
  'annotation.staged',
  'annotation.unstaged',
  'artifact.added',
  'artifact.collected',
  'artifact.linked',
  'artifact.removed',
  'artifact.tagged',
  'artifact.unlinked',
  'decision.superseded',
  'entity.created',
  'entity.deleted',
  'entity.purged',
  'entity.renumbered',
  'entity.repaired',
  'entity.restored',
  'entity.updated',
  'job.ended',
  'job.started',
  'lease.ended',
  'lease.expired',
  'lease.moved',
  'message.read',
  'message.sent',
  'relation.created',
  'relation.deleted',
  'task.cancelled',
  'task.claimed',
  'task.done',
  'task.parked',
  'task.released',
  'task.renewed',
  'task.reopened',
  'task.updated',
  'task.verified',
  'tasks.imported',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Refuses a misspelled filter, which would wait for ever for events that never come. */
export function refuseUnknownTypes(types: readonly string[], field = 'types'): void {
  const unknown = types.find((type) => !EVENT_TYPES.some((known) => known === type))
  if (unknown === undefined) return
  const known = EVENT_TYPES.join(', ')
  throw violation(field, 'not_one_of', `no event is called ${quote(unknown)}; there are ${known}`, {
    value: unknown,
    valid: EVENT_TYPES,
  })
}
