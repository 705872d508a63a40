import type { Clock } from '../../core/clock/clock.ts'
import type { HookStore } from './hook-store.ts'
import type { HookEvent } from './hosts.ts'
import { describeHeld, describeUnread } from './news.ts'
import type { HookAgent } from './session-agent.ts'
import { leave, mayRemind, noteEdit } from './sign-of-life.ts'

/** Events whose answer depends on the store alone, so that a team server can give it. */
export const STORE_EVENTS = [
  'after-edit',
  'prompt',
  'stop',
  'session-end',
] as const satisfies readonly HookEvent[]
export type StoreEvent = (typeof STORE_EVENTS)[number]

interface HookNews {
  readonly event: StoreEvent
  readonly agent: HookAgent
  /** Files that were changed, from the top of the working tree. */
  readonly paths: readonly string[]
}

/** Records what a host has told about its agent, and says what the agent should know. */
export async function shortReply(
  store: HookStore,
  clock: Clock,
  { event, agent, paths }: HookNews,
): Promise<string | undefined> {
  switch (event) {
    case 'after-edit':
      await noteEdit(store, clock, agent, paths)
      return undefined
    case 'prompt':
      return await describeUnread(store, agent)
    case 'stop': {
      const held = await describeHeld(store, agent, await store.now(clock))
      if (held === undefined) return undefined
      // Where it cannot be recorded, a second reminder is better than none.
      const isDue = await mayRemind(store, clock, agent).catch(() => true)
      return isDue ? held : undefined
    }
    case 'session-end':
      await leave(store, clock, agent)
      return undefined
  }
}
