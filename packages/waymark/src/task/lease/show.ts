import { type Line, line, when } from '../../core/show.ts'

interface Holder {
  readonly agent_id: string
  readonly agent_name?: string | undefined
}

interface Lease extends Holder {
  readonly granted_at: string
  readonly expires_at: string
  readonly fence: number
}

/** The name, or the id of an agent that has none. */
export function holder({ agent_id, agent_name = agent_id }: Holder): Line {
  return line`${agent_name}`
}

/** `ada, claimed 12 min ago, lease ends in 3 min, fence 2` */
export function showLease(lease: Lease): Line {
  const { granted_at, expires_at, fence } = lease
  return line`${holder(lease)}, claimed ${when(granted_at)}, lease ends ${when(expires_at)}, fence ${fence}`
}
