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
  const shortened = withNulls(changes)
    .toSorted(byLamport)
    .map((change) => ({
      ...change,
      id: shorten(change.id),
      deps: change.deps.map(shorten),
      ops: change.ops.map((op) => renameOp(op, shorten)),
    }))
  return {
    schema_version: 1,
    start_version: new Map(),
    peers: [...places.keys()] as PeerId[],
    changes: shortened,
  }
}

/** Part of an update as an update of its own, which names no authors but those it needs. */
export function toPart({ peers }: JsonUpdate, changes: readonly JsonChange[]): JsonUpdate {
  const lengthen = (id: OpId): OpId => {
    const [counter = '', place = ''] = id.split('@')
    return `${counter}@${peers?.[Number(place)] ?? place}` as OpId
  }
  return toJsonUpdate(
    changes.map((change) => ({
      ...change,
      id: lengthen(change.id),
      deps: change.deps.map(lengthen),
      ops: change.ops.map((op) => renameOp(op, lengthen)),
    })),
  )
}

/** Where it should say `null`, the library says that there is nothing, and that would be lost in JSON. */
function withNulls(changes: readonly JsonChange[]): readonly JsonChange[] {
  const text = JSON.stringify(changes, (_, value: unknown) => (value === undefined ? null : value))
  return JSON.parse(text) as readonly JsonChange[]
}

function renameOp(
  op: JsonChange['ops'][number],
  rename: (id: OpId) => OpId,
): JsonChange['ops'][number] {
  const { content } = op
  return 'start_id' in content
    ? ({ ...op, content: { ...content, start_id: rename(content.start_id) } } as typeof op)
    : op
}

function byLamport(a: JsonChange, b: JsonChange): number {
  return a.lamport - b.lamport || (a.id < b.id ? -1 : 1)
}
