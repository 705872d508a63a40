import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import { readSetting } from '../../core/project/settings.ts'
import type { HookCall } from '../../hook/host/call.ts'
import type { HookStore } from '../../hook/host/hook-store.ts'
import type { HookHost } from '../../hook/host/hosts.ts'
import type { HookPlace } from '../../hook/host/session-agent.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** What a hook knows beside its input. */
export interface Asking {
  readonly host: HookHost
  readonly hostName: string
  readonly env: Terminal['env']
}

interface Located {
  readonly root: string
  readonly store: Pick<HookStore, 'now'>
}

export async function placeOf(
  { session }: HookCall,
  { host: facts, hostName: host, env }: Asking,
  { root, store }: Located,
): Promise<HookPlace> {
  const now = await store.now(MACHINE_CLOCK)
  // A project cannot set it, so its file is not read.
  const actor = readSetting('actor', { env })
  return { host, facts, actor: actor === '' ? undefined : actor, session, root, now }
}
