import { signal } from '@preact/signals'

export const isPaletteOpen = signal(false)

/** What is written in it when it opens. */
export const firstText = signal('')

/** Opens it with the acts on what is selected. */
export function openActs(): void {
  firstText.value = '>'
  isPaletteOpen.value = true
}

/** The task that acts of the palette are about: the selected or opened one. */
export const actedOn = signal<number | undefined>(undefined)
