import type { JsonChange, JsonUpdate, LoroDoc } from './loro.ts'

/** A change in an entity's past. */
export interface DocumentChange {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly by: string | null
  /** The versions before and after. */
  readonly before: Parameters<LoroDoc['checkout']>[0]
  readonly after: Parameters<LoroDoc['checkout']>[0]
  /** The diff. */
  readonly ops: JsonChange['ops']
}

/** Changes in causal order. */
export function toDocumentChanges({ peers, changes }: JsonUpdate): readonly DocumentChange[] {
  const toOpId = (id: string): DocumentChange['before'][number] => {
    const [counter, place] = id.split('@')
    return { peer: peers?.[Number(place)] ?? '0', counter: Number(counter) }
  }
  return changes
    .map((change) => ({ ...change, first: toOpId(change.id) }))
    .toSorted((a, b) => a.lamport - b.lamport || (a.first.peer < b.first.peer ? -1 : 1))
    .map(({ timestamp, msg, deps, ops, first }) => ({
      at: timestamp,
      by: msg ?? null,
      before: deps.map(toOpId),
      after: [{ peer: first.peer, counter: lastCounterOf(ops) }],
      ops,
    }))
}

function lastCounterOf(ops: DocumentChange['ops']): number {
  const last = ops.at(-1)
  return last === undefined ? 0 : last.counter + lengthOf(last) - 1
}

/** Each character of a text that comes or goes is an operation of its own. */
export function lengthOf({ content }: DocumentChange['ops'][number]): number {
  if ('text' in content) return countCharacters(content.text)
  return 'len' in content ? Math.abs(content.len) : 1
}

function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
