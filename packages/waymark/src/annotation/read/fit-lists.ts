import { estimateTokens } from '../../support/text/token-estimate.ts'

const LENGTHS = [8, 4, 2, 1, 0] as const

export interface FitOptions<Name extends string> {
  /** How many tokens the whole answer may have. */
  readonly budget: number
  /** The lists that may be cut, from the one that is missed least. Each has its best entries at its head. */
  readonly order: readonly Name[]
  /** Lists that keep their first entry, even if it exceeds the budget. */
  readonly keepOne?: readonly Name[]
}

/**
 * Makes an answer that consists of lists fit into a budget: all lists in turn are cut to eight entries, then to four,
 * and so on. Returns how many entries of each list were cut.
 */
export function fitLists<
  Name extends string,
  Answer extends { readonly [K in Name]?: readonly unknown[] | undefined },
>(
  answer: Answer,
  { budget, order, keepOne = [] }: FitOptions<Name>,
): { readonly answer: Answer; readonly leftOut: ReadonlyMap<Name, number> } {
  const leftOut = new Map<Name, number>()
  let shown = answer
  for (const length of LENGTHS) {
    for (const name of order) {
      if (estimateTokens(JSON.stringify(shown)) <= budget) return { answer: shown, leftOut }
      const list = shown[name] ?? []
      const kept = keepOne.includes(name) ? Math.max(1, length) : length
      if (list.length <= kept) continue
      leftOut.set(name, (leftOut.get(name) ?? 0) + list.length - kept)
      shown = { ...shown, [name]: kept === 0 ? undefined : list.slice(0, kept) }
    }
  }
  return { answer: shown, leftOut }
}

/** What is said of entries that are gone. */
export function toLeftOutNotes(leftOut: ReadonlyMap<string, number>): readonly string[] {
  const told = [...leftOut].map(([name, count]) => `${count} of ${name}`)
  return told.length === 0 ? [] : [`Left out to keep it short: ${told.join(', ')}.`]
}
