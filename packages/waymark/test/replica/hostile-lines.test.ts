import { describe, expect, test } from 'vitest'
import { showBrief } from '../../src/brief/operations.ts'
import { createEntity, getEntity, listEntities, updateEntity } from '../../src/entity/operations.ts'
import { restoreEntity, showHistory } from '../../src/sync/history/operations.ts'
import { execute } from '../../src/core/execute.ts'
import { LARGEST_CONTENT, LONGEST_TITLE } from '../../src/entity/entity.ts'
import { FARTHEST_RANK } from '../../src/task/fields.ts'
import { createTask } from '../../src/task/operations.ts'
import { reorderTask } from '../../src/task/order/operations.ts'
import { readyTasks } from '../../src/task/queue/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { runSync } from '../../src/sync/operations.ts'
import { type Clone, createTeam } from './clones.ts'
import {
  forgedId,
  forgeLine,
  hashOf,
  insertText,
  noteOps,
  pushLines,
  seal,
  setValue,
} from './hostile-log.ts'
import { createVictims, expectAgreed } from './victims.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'

const note = { type: 'note', title: 'a note' } as const
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

/** A line with this value as one of its properties; its nesting is written as text, since no object could be so deep. */
function deepLine(id: string, depth: number): string {
  const line = forgeLine(id, [...noteOps(), setValue('properties', 'x', 'PLACE')])
  return seal(`${line.slice(0, -40).replace('"PLACE"', nested(depth))}}`)
}

/** Lines come in the order of the log. */
function byHash(one: { readonly hash: string }, other: { readonly hash: string }): number {
  return one.hash < other.hash ? -1 : 1
}

/** What anyone who may push can write, with the reason for which it is set aside. */
const BROKEN: readonly (readonly [forge: (id: string) => string, reason: string])[] = [
  [(id) => deepLine(id, 20_000), 'too_deep'],
  [(id) => deepLine(id, 17), 'too_deep'],
  [(id) => forgeLine(id, [...noteOps(), insertText('content', 'a'.repeat(7 << 20))]), 'too_large'],
  [(id) => forgeLine(id, noteOps({ created_by: 'x'.repeat(1 << 20) })), 'too_large'],
  [(id) => forgeLine(id, noteOps(), { msg: 'x'.repeat(1 << 20) }), 'too_large'],
  [
    (id) => {
      const line = forgeLine(id, noteOps({ number: 77_777 }))
      return seal(`${line.slice(0, -40).replace('77777', '1e999')}}`)
    },
    'bad_form',
  ],
  // The name of a text, of a map.
  [
    (id) =>
      forgeLine(id, [
        ...noteOps(),
        { container: 'cid:root-fields:Text', content: { type: 'insert', pos: 0, text: 'x' } },
      ]),
    'bad_form',
  ],
  [(id) => seal(`{"e":"${id}","x":[]}`), 'bad_form'],
  [(id) => forgeLine(id, [...noteOps(), insertText('content', 'a', 100)]), 'refused'],
]

describe('a line that breaks a limit', () => {
  test('is set aside, reported and blocks nothing', async () => {
    await using team = createTeam()
    const [ada, bob] = await createVictims(team)
    const lines = BROKEN.map(([forge], at) => forge(forgedId(at + 1)))
    const harmless = forgeLine(forgedId(BROKEN.length + 1), noteOps({ title: 'harmless' }))
    pushLines(team.remote, [...lines, harmless])
    const expected = BROKEN.map(([, reason], at) => ({ hash: hashOf(lines[at] ?? ''), reason }))
    // Only the document engine knows what it refuses.
    const known = expected.filter(({ reason }) => reason !== 'refused')
    const told = async (input: Parameters<Clone['sync']>[0]) => {
      const { received, set_aside } = await ada.sync(input)
      const reasons = set_aside.lines.map(({ hash, reason }) => ({ hash, reason }))
      return {
        created: received.created,
        total: set_aside.total,
        reasons: reasons.toSorted(byHash),
      }
    }
    const dry = await told({ dry_run: true, push: false })
    expect(dry).toMatchObject({ total: known.length, reasons: known.toSorted(byHash) })
    const { length: total } = expected
    expect(await told({})).toEqual({ created: 1, total, reasons: expected.toSorted(byHash) })
    // Later calls go on, here and in the other clone, and what is set aside is still told.
    const { id } = await ada.run(createEntity, { ...note, title: 'after' })
    await ada.run(updateEntity, { id, content: 'more' })
    await expectAgreed(ada, bob)
    expect((await bob.sync()).set_aside).toMatchObject({ total })
    expect((await bob.run(showHistory, { id })).total).toBe(2)
    const { checks } = await bob.run(checkStore, {})
    expect(checks.find(({ name }) => name === 'set aside')).toMatchObject({ status: 'warning' })
  })

  test('is kept in the log as it came, and is tried again when asked [hostile-lines-kept-log]', async () => {
    await using team = createTeam()
    const [ada] = await createVictims(team)
    const line = deepLine(forgedId(1), 20_000)
    pushLines(team.remote, [line])
    await ada.sync()
    const segments = ada.git('ls-tree', '--name-only', 'refs/waymark/log').trim().split('\n')
    const texts = segments.map((name) => ada.git('show', `refs/waymark/log:${name}`))
    expect(texts.join('')).toContain(hashOf(line))
    expect((await ada.sync({ retry_set_aside: true })).set_aside).toMatchObject({ total: 1 })
  })
})

test('a task at the end of the allowed range can be moved before, and all clones agree [hostile-lines-rank]', async () => {
  await using team = createTeam()
  const [ada, bob] = await createVictims(team)
  await ada.run(createTask, { title: 'own', priority: 'high' })
  const { number } = (await ada.run(createTask, { title: 'moved', priority: 'high' })).task
  const place = { status: 'todo', priority: 250, rank: -FARTHEST_RANK }
  const set = Object.entries(place).map(([name, value]) => setValue('properties', name, value))
  pushLines(team.remote, [
    forgeLine(forgedId(1), [...noteOps({ type: 'task', number: 50 }), ...set]),
  ])
  await ada.sync()
  await ada.run(reorderTask, { id: `${number}`, before: '50' })
  await expectAgreed(ada, bob)
  for (const clone of [ada, bob]) {
    const { tasks } = await clone.run(readyTasks, {})
    expect(tasks.map((task) => task.number)).toEqual([number, 50, number - 1])
  }
})

test('a map of the name of a text does not hide the text of an entity that is known', async () => {
  await using team = createTeam()
  const [ada, bob] = await createVictims(team)
  const { id } = await ada.run(createEntity, { ...note, content: 'honest text' })
  await ada.sync()
  pushLines(team.remote, [forgeLine(id, [setValue('text:content', 'a', 'forged')])])
  await expectAgreed(ada, bob)
  for (const clone of [ada, bob]) {
    expect((await clone.run(getEntity, { id })).content).toBe('honest text')
  }
})

test('an entity that becomes one of another type is listed, queued and found as that', async () => {
  await using team = createTeam()
  const [ada, bob] = await createVictims(team)
  const types = ['note', 'task', 'decision', 'task', 'note'] as const
  for (const [at, type] of types.entries()) {
    const peer = String(50 + at)
    pushLines(team.remote, [
      forgeLine(forgedId(1), noteOps({ type, title: `as ${type}` }), { peer }),
    ])
    await expectAgreed(ada, bob)
    expect(await bob.run(getEntity, { id: forgedId(1) })).toMatchObject({ type })
  }
})

describe('the document engine', () => {
  test('is replaced after a trap, in this project and in others [hostile-lines-replaced-after]', async () => {
    await using team = createTeam()
    await using elsewhere = createTeam()
    const [ada, bob] = await createVictims(team)
    const other = await elsewhere.clone('other')
    const { id } = await other.run(createEntity, { ...note, content: 'one' })
    await other.run(updateEntity, { id, content: 'two' })
    // Overflows the stack of the engine when it is opened: as a store has it that took it in before there was a limit.
    await poisonDocument(ada, 20_000)
    for (let n = 0; n < 20; n++) {
      await expect(ada.run(showHistory, { id: forgedId(9) })).rejects.toMatchObject({
        code: 'storage_corrupt',
      })
    }
    expect((await other.run(showHistory, { id })).total).toBe(2)
    await other.run(restoreEntity, { id, version: 1 })
    expect((await other.run(getEntity, { id })).content).toBe('one')
    const { id: mine } = await ada.run(createEntity, note)
    await ada.sync()
    await bob.sync()
    expect((await bob.run(getEntity, { id: mine })).title).toBe('a note')
  })
})

/** Puts a row and a document into the store that the engine cannot open. */
async function poisonDocument({ context }: Clone, depth: number): Promise<void> {
  const id = toEntityId(forgedId(9))
  const ops = JSON.stringify([
    ['fields', 'type', 'note'],
    ['properties', 'x', 'PLACE'],
  ]).replace('"PLACE"', nested(depth))
  const document = Buffer.from(`["7",0,null,${ops}]`)
  await context.store.write(async ({ replica }) => {
    const row = {
      id,
      number: 900,
      type: 'note',
      title: 'poisoned',
      content: null,
      tags: [],
      status: null,
      properties: {},
      createdAt: 0,
      updatedAt: 0,
      createdBy: null,
      updatedBy: null,
      origin: null,
    }
    await replica.rows.insert(row, { via: 'sync', parts: [] })
    await replica.put({ entityId: id, document, logged: null, isDirty: true })
  })
}

describe('what is merged', () => {
  test('has the limits of local input: names, tags, texts, characters [hostile-lines-limits-local]', async () => {
    await using team = createTeam()
    const [ada, bob] = await createVictims(team)
    const tags = ['fine', 'x'.repeat(101), 'nul\0in it', '\ud800', '  blank  ']
    pushLines(team.remote, [
      forgeLine(forgedId(1), [
        ...noteOps({
          title: 'a\0b',
          created_by: 'b'.repeat(5_000),
          updated_by: 'c\0d',
          origin: JSON.stringify({ imported: 'x'.repeat(3_000) }),
        }),
        insertText('content', 'text\0with nul\n'),
        ...tags.map((tag, place) => setValue('list:tags', tag, place)),
      ]),
    ])
    const part = '\u00e4'.repeat(200_000)
    pushLines(team.remote, [
      forgeLine(forgedId(2), [
        ...noteOps({ number: 2, title: 't'.repeat(5_000) }),
        ...Array.from({ length: 4 }, () => insertText('content', part)),
      ]),
    ])
    await expectAgreed(ada, bob)
    // Clones that did not know of each other may together have written more than one may.
    const long = await bob.run(getEntity, { id: forgedId(2) })
    expect(long.title).toHaveLength(LONGEST_TITLE)
    expect(Buffer.byteLength(long.content ?? '')).toBe(10 * LARGEST_CONTENT)
    const seen = await bob.run(getEntity, { id: forgedId(1) })
    expect(seen).toMatchObject({ title: 'a\uFFFDb', content: 'text\uFFFDwith nul' })
    expect(seen.tags).toEqual(['fine', 'nul', '\uFFFD', 'blank'])
    expect(seen.created_by).toHaveLength(100)
    const { repaired } = await bob.run(checkStore, { repair: true })
    expect(repaired).toBe(0)
  })

  test('cannot hide others behind a long name in a brief', async () => {
    await using team = createTeam()
    const [ada] = await createVictims(team)
    for (const title of ['first task', 'second task']) {
      await ada.run(createEntity, { type: 'task', title })
    }
    pushLines(team.remote, [
      forgeLine(forgedId(1), [
        ...noteOps({ type: 'task', title: 'hiding', created_by: 'x'.repeat(60_000) }),
        setValue('properties', 'priority', 0),
      ]),
    ])
    await ada.sync()
    const brief = JSON.stringify(await ada.run(showBrief, {}))
    for (const title of ['first task', 'second task', 'hiding']) expect(brief).toContain(title)
  })
})

test('an exchange that is interrupted goes on where it was [hostile-lines-exchange-interrupted]', async () => {
  await using team = createTeam()
  const [ada] = await createVictims(team)
  for (let segment = 0; segment < 4; segment++) {
    const lines = Array.from({ length: 11 }, (_, n) =>
      forgeLine(forgedId(100 + segment * 11 + n), [
        ...noteOps({ title: `note ${n}`, number: 100 + segment * 11 + n }),
        insertText('content', 'words '.repeat(16_000)),
      ]),
    )
    pushLines(team.remote, lines)
  }
  const controller = new AbortController()
  const stopped = {
    ...ada.context,
    signal: controller.signal,
    progress: (_done: number, _total: number, message: string) => {
      if (/^taking in what others did: [5-9]\d %/.test(message)) controller.abort()
    },
  }
  const { replica } = ada.context.store
  const known = (await replica.knownSegments()).size
  await expect(execute(stopped, runSync, {})).rejects.toMatchObject({ code: 'cancelled' })
  // What was merged is not read again.
  expect((await replica.knownSegments()).size).toBeGreaterThan(known)
  const before = (await ada.snapshot()).length
  expect(before).toBeGreaterThan(11)
  expect(before).toBeLessThan(45)
  const { created } = (await ada.sync()).received
  expect(created).toBe(45 - before)
})

describe('numbers', () => {
  test('go on from the last one after an entity that claims the largest', async () => {
    await using team = createTeam()
    const [ada, bob] = await createVictims(team)
    pushLines(team.remote, [forgeLine(forgedId(1), noteOps({ number: 2 ** 31 - 1 }))])
    for (let n = 0; n < 3; n++) {
      for (const clone of [ada, bob]) {
        const { number } = await clone.run(createEntity, { ...note, title: `${n}` })
        expect(number).toBeLessThan(100)
        await clone.sync()
      }
    }
    await expectAgreed(ada, bob)
    for (const clone of [ada, bob]) expect((await clone.sync()).renumbered).toEqual([])
  })

  test('follow one a little above the last one, and none far above all others', async () => {
    await using team = createTeam()
    const [ada] = await createVictims(team)
    const numbers = [50, 2 ** 31 - 1, 2 ** 20]
    pushLines(
      team.remote,
      numbers.map((number, n) => forgeLine(forgedId(n + 1), noteOps({ number }))),
    )
    await ada.sync()
    for (const expected of [51, 52]) {
      expect((await ada.run(createEntity, note)).number).toBe(expected)
    }
  })

  test('that are none are replaced, once and in all clones', async () => {
    await using team = createTeam()
    const [ada, bob] = await createVictims(team)
    const numbers = [0, -3, 1.5, 'x', null, 2 ** 31]
    pushLines(
      team.remote,
      numbers.map((number, n) => forgeLine(forgedId(n + 1), noteOps({ number }))),
    )
    await ada.sync()
    await expectAgreed(ada, bob)
    const { entities } = await bob.run(listEntities, {})
    expect(entities.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7])
    for (const clone of [ada, bob]) expect((await clone.sync()).renumbered).toEqual([])
  })

  test('of entities that are known are not taken by arrivals that claim to be older [hostile-lines-entities-known]', async () => {
    await using team = createTeam()
    const [ada, bob] = await createVictims(team)
    const { number } = await ada.run(createEntity, { ...note, title: 'second' })
    await ada.sync()
    await bob.sync()
    pushLines(team.remote, [
      forgeLine(forgedId(1), noteOps({ number: 1, title: 'usurper 1' })),
      forgeLine(forgedId(2), noteOps({ number, title: 'usurper 2' })),
    ])
    await expectAgreed(ada, bob)
    const fresh = await team.clone('fresh')
    await expectAgreed(ada, bob, fresh)
    for (const clone of [ada, bob, fresh]) {
      expect((await clone.run(getEntity, { id: '1' })).title).toBe('honest')
      expect((await clone.run(getEntity, { id: String(number) })).title).toBe('second')
    }
  })
})
