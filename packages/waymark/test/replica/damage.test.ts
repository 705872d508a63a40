import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEntity, updateEntity } from '../../src/entity/operations.ts'
import { parseLine, toUpdateLine } from '../../src/sync/log/log-line.ts'
import { LOG_REF, readLog } from '../../src/sync/log/log-ref.ts'
import { parseSegment, toSegments } from '../../src/sync/log/segment.ts'
import { type Clone, createTeam, putLog } from './clones.ts'
import { createReplica } from './replicas.ts'
import { SEED } from '../seed.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'

const note = { type: 'note', title: 'a note' } as const

async function sampleLines(count: number): Promise<string[]> {
  await using ada = await createReplica('ada')
  for (let n = 0; n < count; n++) {
    await ada.run(createEntity, { ...note, title: `née ${n}`, content: 'a\nb 🙂', tags: ['x'] })
  }
  return (await ada.lines()).map(({ text }) => text)
}

describe('a segment', () => {
  test('cut at any byte keeps every line that is whole and says that something is missing [damage-cut-any]', async () => {
    const lines = await sampleLines(3)
    const [segment] = toSegments(lines)
    const bytes = Buffer.from(segment?.text ?? '')
    const ends = [...bytes.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at)
    for (let size = 0; size < bytes.length; size++) {
      const parsed = parseSegment(segment?.name ?? '', bytes.subarray(0, size).toString('utf8'))
      const whole = ends.filter((end) => end <= size).length
      expect(parsed.lines).toHaveLength(whole)
      expect(parsed.isIntact).toBe(false)
      const rest = size - (ends[whole - 1] ?? -1) - 1
      expect(parsed.damaged).toBe(whole < ends.length && rest > 0 ? 1 : 0)
    }
  })

  test('whose line ends are lost keeps every record, and one that was cut off takes no other with it [damage-line-ends]', async () => {
    const lines = await sampleLines(4)
    const [first = '', second = '', third = '', fourth = ''] = lines
    const texts = (text: string) => parseSegment('any', text).lines.map((line) => line.text)
    const damaged = (text: string) => parseSegment('any', text).damaged
    expect(texts(lines.join(''))).toEqual(lines)
    expect(damaged(lines.join(''))).toBe(0)
    expect(texts(`${first}${second}\n${third}\n${fourth}`)).toEqual(lines)
    for (let size = 1; size < first.length; size += 1) {
      const cut = first.slice(0, size)
      expect(texts(`${cut}${second}\n${third}${cut}${fourth}${cut}`)).toEqual(lines.slice(1))
      expect(damaged(`${cut}${second}\n${third}`)).toBe(1)
    }
  })

  test('of nothing but beginnings and ends is given up soon', () => {
    const seal = `,"h":"${'0'.repeat(32)}"}`
    const text = `${'{"e":"'.repeat(200_000)}${seal.repeat(20_000)}`
    expect(parseSegment('any', text)).toMatchObject({ lines: [], damaged: 1 })
  })

  test('with foreign, altered, doubled and shuffled lines gives the lines that are ours [damage-foreign-altered]', async () => {
    const lines = await sampleLines(4)
    const [first = '', second = '', ...rest] = lines
    const text = [
      'not ours',
      second,
      '{"e":"x"}',
      second,
      first.replace('née', 'nee'),
      ...rest.toReversed(),
      '',
      '\u0000\uFFFD',
      first,
    ].join('\n')
    const { lines: found, damaged } = parseSegment('any', text)
    expect(found.map((line) => line.text).toSorted()).toEqual([...lines, second].toSorted())
    expect(damaged).toBe(4)
  })
})

describe('a clone', () => {
  test('takes in what is whole of a damaged log, says what is not, and mends it by the next one', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const { id } = await ada.run(createEntity, note)
    await ada.run(createEntity, note)
    await ada.sync()
    const whole = ada.git('ls-tree', '--name-only', LOG_REF).trim()
    const text = ada.git('cat-file', 'blob', `${LOG_REF}:${whole}`)
    const bob = await team.clone('bob')
    await replaceLog(bob, whole, `${text.slice(0, text.length * 0.75)}`)
    const first = await bob.sync({ remote: bob.directory, push: false })
    expect(first).toMatchObject({ received: { created: 1 }, damaged: 1 })
    const second = await bob.sync()
    expect(second.received.created).toBe(1)
    expect(await bob.snapshot()).toEqual(await ada.snapshot())
    expect(await bob.store.entities.byId(id)).toBeDefined()
    expect((await bob.sync()).damaged).toBe(0)
  })

  test('waits with a change until what it builds on has come', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await ada.run(createEntity, note)
    const [creation] = await ada.lines()
    await ada.run(updateEntity, { id, title: 'later' })
    const [both] = await ada.lines()
    const later = onlyLast(both?.text ?? '')
    expect(await bob.takeIn([parseLine(later) ?? expect.unreachable()])).toMatchObject({
      created: 0,
      notUnderstood: [id],
    })
    expect(await bob.store.replica.countStrays()).toBe(1)
    await bob.takeIn([creation ?? expect.unreachable()])
    expect(await bob.snapshot()).toEqual(await ada.snapshot())
    expect(await bob.store.replica.countStrays()).toBe(0)
  })

  test('is not harmed by lines that are well formed and make no sense', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await ada.run(createEntity, { ...note, content: 'a\nb\nc\n' })
    const [line] = await ada.lines()
    await bob.takeIn([line ?? expect.unreachable()])
    const before = await bob.snapshot()
    await fc.assert(
      fc.asyncProperty(mutation, async (mutate) => {
        const { u: update } = JSON.parse(line?.text ?? '') as { u: Update }
        const mutant = parseLine(toUpdateLine(id, mutate(update) as never))
        if (mutant !== undefined) await bob.takeIn([mutant])
        await bob.takeIn([line ?? expect.unreachable()])
      }),
      { seed: SEED, numRuns: 100 },
    )
    // Whatever they did to this entity, others are as they were and new ones can be made.
    const { id: other } = await bob.run(createEntity, note)
    const [row] = (await bob.snapshot()).filter((text) => text.includes(other))
    expect(row).toBeDefined()
    expect(before).toHaveLength(1)
  })
})

interface Update {
  peers: string[]
  changes: { id: string; deps: string[]; lamport: number; ops: Record<string, unknown>[] }[]
}

const value = fc.oneof(
  fc.integer(),
  fc.string(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({ a: { b: [1] } }),
)

/** Changes one thing somewhere in an update. */
const mutation = fc
  .record({ peer: fc.maxSafeNat(), place: fc.nat(20), value, kind: fc.nat(6) })
  .map(({ peer, place, value, kind }) => (update: Update) => {
    const peers = kind === 0 ? update.peers : [String(peer)]
    const changes = update.changes.map((change) => ({
      ...change,
      ...(kind === 1 && { deps: [`${place}@0`] }),
      ...(kind === 2 && { lamport: place * 1000 }),
      ops: change.ops.map((op, at) =>
        at === place % change.ops.length ? alter(op, kind, value) : op,
      ),
    }))
    return { ...update, peers, changes }
  })

function alter(op: Record<string, unknown>, kind: number, value: unknown): Record<string, unknown> {
  const content = op['content'] as Record<string, unknown>
  if (kind === 3) return { ...op, content: { ...content, value, text: String(value) } }
  if (kind === 4) return { ...op, content: { ...content, pos: value, key: value } }
  if (kind === 5) return { ...op, container: 'cid:root-fields:Text' }
  if (kind === 6) return { ...op, counter: value }
  return op
}

/** The line without its first change. */
function onlyLast(text: string): string {
  const { e, u } = JSON.parse(text) as { e: string; u: Update }
  return toUpdateLine(toEntityId(e), { ...u, changes: u.changes.slice(1) } as never)
}

async function replaceLog(clone: Clone, name: string, text: string): Promise<void> {
  const repository = (await clone.context.code?.repository()) ?? expect.unreachable()
  await putLog(repository, [{ name, text }], await readLog(repository))
}
