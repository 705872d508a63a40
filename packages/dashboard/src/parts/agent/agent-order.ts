import type { Agent } from '../../data/agents.ts'

const PRESENCE = ['active', 'idle', 'gone', 'offline'] as const

/** Those at work first, then those that were seen last. */
export function byWork(one: Agent, other: Agent): number {
  return (
    Number(other.held.length > 0) - Number(one.held.length > 0) ||
    PRESENCE.indexOf(one.presence) - PRESENCE.indexOf(other.presence) ||
    Date.parse(other.seen_at) - Date.parse(one.seen_at)
  )
}

export function nameOf({ name, id }: Pick<Agent, 'name' | 'id'>): string {
  return name ?? id.slice(0, 9)
}
