import {
  cutTexts,
  fitsReply,
  type ReplyForm,
  takeWithinReply,
} from '../../support/text/reply-budget.ts'
import type { SpecEntity } from './shapes.ts'

/** When not all items fit as they are, each may take this part of an answer, so that it names several of them. */
const SHARE = 1 / 6

/** Texts and lists are cut to these lengths, one after the other, until an item fits. Ids and times are never touched. */
const CUTS = [
  { length: 1000, items: 20 },
  { length: 400, items: 20 },
  { length: 200, items: 10 },
  { length: 100, items: 5 },
  { length: 40, items: 3 },
] as const

/** The size that the caller asked for. */
interface Asked {
  readonly limit?: unknown
}

interface Page {
  readonly entities: readonly SpecEntity[]
  readonly offset: number
}

interface Edge {
  readonly source_id: string
}

interface GraphPage extends Page {
  readonly relations: readonly Edge[]
}

/** An item whole where there is room for it, otherwise cut and marked as `truncated`. */
export function fitItem<T extends object>(item: T, form: ReplyForm, part = 1): T {
  if (fitsReply(item, part, form)) return item
  const cuts = CUTS.map(({ length, items }) => ({
    ...cutTexts(item, length, items),
    truncated: true,
  }))
  return cuts.find((cut) => fitsReply(cut, part, form)) ?? cuts.at(-1) ?? item
}

/** The items whole where there is room for all of them, otherwise as many as fit, the long ones among them cut. */
export function fitItems<T extends object>(
  items: readonly T[],
  form: ReplyForm,
  part = 1,
): readonly T[] {
  if (fitsReply(items, part, form)) return items
  const cut = items.map((item) => fitItem(item, form, SHARE * part))
  return takeWithinReply(cut, part, form)
}

/**
 * A page: `entities` and their position. With an explicit limit it has that many entities, untruncated. Otherwise the
 * page ends where the answer is full, and `limit` is the number it holds, so that `offset + limit` is the next offset.
 */
export function fitPage<T extends Page>(page: T, asked: Asked, form: ReplyForm): Page {
  const { entities } = page
  if (asked.limit !== undefined) return page
  const fitted = fitItems(entities, form, 0.95)
  return { ...page, entities: fitted, ...(fitted.length < entities.length && endOf(page, fitted)) }
}

function endOf({ offset }: Page, { length }: readonly unknown[]) {
  return { limit: length, next_offset: offset + length }
}

/** The same for a page of the graph: as many entities as there is room for together with the relations that start at them. */
export function fitGraph(page: GraphPage, asked: Asked): GraphPage {
  const { entities, relations } = page
  if (asked.limit !== undefined || fitsReply({ entities, relations }, 0.95, 'resource')) return page
  let fitted = fitItems(entities, 'resource', 0.5)
  let between = startingAt(fitted, relations)
  while (fitted.length > 1 && !fitsReply(between, 0.4, 'resource')) {
    fitted = fitted.slice(0, -1)
    between = startingAt(fitted, relations)
  }
  const shown = takeWithinReply(between, 0.4, 'resource')
  return {
    ...page,
    entities: fitted,
    relations: shown,
    ...(shown.length < between.length && { truncated: true }),
    ...(fitted.length < entities.length && endOf(page, fitted)),
  }
}

function startingAt(entities: readonly SpecEntity[], relations: readonly Edge[]): readonly Edge[] {
  const ids = new Set(entities.map(({ id }) => id))
  return relations.filter(({ source_id }) => ids.has(source_id))
}
