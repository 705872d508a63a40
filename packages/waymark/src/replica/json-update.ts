import type { JsonChange, JsonUpdate, PeerId } from './loro.ts'

type OpId = JsonChange['id']

/** Changes as one update, in which authors are named by their place in a list: their numbers are long, and repeat. */
export function toJsonUpdate(changes: readonly JsonChange[]): JsonUpdate {
  const places = new Map<string, number>()
  const shorten = (id: OpId): OpId => {
    const [counter = '', peer = ''] = id.split('@')
    const place = places.get(peer) ?? places.size
    places.set(peer, place)
    return `${counter}@${place}` as OpId
  }
  const shortened = changes.toSorted(byLamport).map((change) => ({
    ...change,
    id: shorten(change.id),
    deps: change.deps.map(shorten),
    // Absent where nobody is named, but a line of the log always says so.
    msg: change.msg ?? null,
    ops: change.ops.map((op) => shortenOp(op, shorten)),
  }))
  return {
    schema_version: 1,
    start_version: new Map(),
    peers: [...places.keys()] as PeerId[],
    changes: shortened,
  }
}

function shortenOp(
  op: JsonChange['ops'][number],
  shorten: (id: OpId) => OpId,
): JsonChange['ops'][number] {
  const { content } = op
  return 'start_id' in content
    ? ({ ...op, content: { ...content, start_id: shorten(content.start_id) } } as typeof op)
    : op
}

function byLamport(a: JsonChange, b: JsonChange): number {
  return a.lamport - b.lamport || (a.id < b.id ? -1 : 1)
}
