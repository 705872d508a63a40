import { signal } from '@preact/signals'
import type { Output } from '../api.ts'
import { call } from './call.ts'

export type Agent = Output<'agent.list'>['agents'][number]

/** Who works here, by id; the page's lists order them. */
export const agents = signal<readonly Agent[]>([])

/** False until the first answer, so that no view claims that there are none. */
export const areAgentsLoaded = signal(false)

export async function loadAgents(): Promise<void> {
  agents.value = (await call('agent.list', {})).agents
  areAgentsLoaded.value = true
}
