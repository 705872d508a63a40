import { signal } from '@preact/signals'
import type { Output } from '../api.ts'
import { call } from './call.ts'

export type Agent = Output<'agent.list'>['agents'][number]

/** Who works here, by id; the page's lists order them. */
export const agents = signal<readonly Agent[]>([])

export async function loadAgents(): Promise<void> {
  agents.value = (await call('agent.list', {})).agents
}

export function agentNamed(name: string): Agent | undefined {
  return agents.value.find((agent) => agent.name === name || agent.id === name)
}
