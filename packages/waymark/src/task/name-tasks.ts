import type { EntityRow } from '../entity/store.ts'
import { toTitle } from '../support/text/visible-text.ts'

const MOST_NAMED = 5

/** `#2 Ask for the address, #3 Send the receipt and 4 more`, for a sentence. */
export function nameTasks(tasks: readonly Pick<EntityRow, 'number' | 'title'>[]): string {
  const named = tasks
    .slice(0, MOST_NAMED)
    .map(({ number, title }) => `#${number} ${toTitle(title)}`)
  const more = tasks.length - named.length
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
