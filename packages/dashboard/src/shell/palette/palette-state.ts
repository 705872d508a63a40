import { signal } from '@preact/signals'

export const isPaletteOpen = signal(false)

/** The task that acts of the palette are about: the selected or opened one. */
export const actedOn = signal<number | undefined>(undefined)
