import type { FeedEvent } from '../../data/live/feed.ts'
import { en } from '../../text/en.ts'

/** What happened, in words; an unknown type is shown as it is. */
export function toSentence({ type }: Pick<FeedEvent, 'type'>): string {
  return (en.events as Readonly<Record<string, string>>)[type] ?? type.replaceAll('_', ' ')
}

/** Events that say only that an agent is alive, or repeat what another one said. */
const NOISE = new Set([
  'task.renewed',
  'agent.heartbeat',
  'agent.seen',
  'relation.created',
  'task.labels_changed',
])

export function isNoise({ type }: Pick<FeedEvent, 'type'>): boolean {
  return NOISE.has(type)
}
