import { signal } from '@preact/signals'
import type { Place } from '../../acts/order-act.ts'

/** Tasks that the next act is about, when more than one. */
export const selection = signal<ReadonlySet<number>>(new Set())

/** The task that is shown beside the board. */
export const peeked = signal<number | undefined>(undefined)

/** The card that is being dragged. */
export const dragged = signal<number | undefined>(undefined)

/** The card that it would be put beside. */
export const aim = signal<Place | undefined>(undefined)

export function toggleSelected(number: number): void {
  const next = new Set(selection.peek())
  if (!next.delete(number)) next.add(number)
  selection.value = next
}

export function select(numbers: readonly number[]): void {
  selection.value = new Set([...selection.peek(), ...numbers])
}

export function clearSelection(): void {
  selection.value = new Set()
}
