import { signal } from '@preact/signals'

/** What the open form makes. */
export const created = signal<'task' | 'decision' | undefined>(undefined)
