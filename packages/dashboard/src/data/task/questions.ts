import { computed, signal } from '@preact/signals'
import type { Output } from '../../api.ts'
import { call } from '../call.ts'

export type Message = Output<'message.list'>['messages'][number]
export type Status = Output<'status.show'>

/** Messages of all conversations, oldest first. */
export const messages = signal<readonly Message[]>([])

/** What needs a person, as the engine sees it. */
export const status = signal<Status | undefined>(undefined)

export const questions = computed(() => status.value?.questions ?? [])

/** Decisions that agents propose, the newest first, and how many there are. */
export const proposals = signal<Proposals>({ entities: [], total: 0 })

type Proposals = Pick<Output<'entity.list'>, 'entities' | 'total'>

export async function loadProposals(): Promise<void> {
  const wanted = { type: 'decision', statuses: ['proposed'], limit: 5 } as const
  proposals.value = await call('entity.list', wanted)
}

export async function loadMessages(): Promise<void> {
  messages.value = (await call('message.list', { all: true, limit: 200 })).messages
}

export async function loadStatus(): Promise<void> {
  status.value = await call('status.show', {})
}
