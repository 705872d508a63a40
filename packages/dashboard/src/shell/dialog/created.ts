import { signal } from '@preact/signals'

/** Whether the form for a new task is open. */
export const isCreating = signal(false)
