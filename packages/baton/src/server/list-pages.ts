import { invalidParams } from '../protocol/error.ts'
import type { ResultText } from './reply.ts'

/** The member name of a list result and the key of its items. */
export interface ListShape<Item> {
  readonly member: string
  keyOf(item: Item): string
}

/**
 * Paginates lists. A cursor contains the key of the last item, not a position, so that items which are added or
 * removed between two pages do not shift the others.
 */
export class ListPages {
  readonly #size: number
  readonly #results: ResultText
  // By member as well: an application may return the same empty array for two of its lists.
  readonly #wholeListsByMember = new Map<string, WeakMap<readonly unknown[], object>>()

  constructor(size: number, results: ResultText) {
    this.#size = size
    this.#results = results
  }

  /** The page after a cursor; a list that fits into one page returns the same object each time. */
  page<Item>(items: readonly Item[], cursor: unknown, shape: ListShape<Item>): object {
    if (cursor === undefined && items.length <= this.#size) return this.#wholeList(items, shape)
    const start = cursor === undefined ? 0 : indexAfter(items, cursor, shape)
    const page = items.slice(start, start + this.#size)
    const last = page.at(-1)
    if (last === undefined || start + page.length >= items.length) return { [shape.member]: page }
    return { [shape.member]: page, nextCursor: toCursor(shape.keyOf(last)) }
  }

  #wholeList<Item>(items: readonly Item[], shape: ListShape<Item>): object {
    let wholeLists = this.#wholeListsByMember.get(shape.member)
    if (wholeLists === undefined) {
      wholeLists = new WeakMap()
      this.#wholeListsByMember.set(shape.member, wholeLists)
    }
    const known = wholeLists.get(items)
    if (known !== undefined) return known
    const result = this.#results.share({ [shape.member]: items })
    wholeLists.set(items, result)
    return result
  }
}

function indexAfter<Item>(items: readonly Item[], cursor: unknown, shape: ListShape<Item>): number {
  const key = typeof cursor === 'string' ? fromCursor(cursor) : undefined
  const index = items.findIndex((item) => shape.keyOf(item) === key)
  if (key === undefined || index === -1) throw invalidParams('cursor is unknown or has expired')
  return index + 1
}

// `btoa` accepts Latin-1 only, hence the percent-encoding.
function toCursor(key: string): string {
  return btoa(encodeURIComponent(key))
}

function fromCursor(cursor: string): string | undefined {
  try {
    return decodeURIComponent(atob(cursor))
  } catch {
    return undefined
  }
}
