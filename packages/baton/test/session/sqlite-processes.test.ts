import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startOfStream } from '../../src/session/event-id.ts'
import { openSqliteSessionStore } from '@waymark/baton/node'
import { startChild } from './child.ts'
import { ALICE, STATE, createFolder } from './stores.ts'

const APPEND = new URL('append-events.child.ts', import.meta.url)
const KILLS = 12

it('kill -9 loses no acknowledged event and duplicates none', async () => {
  await using folder = await createFolder()
  const path = join(folder.path, 'sessions.db')
  await using store = await openSqliteSessionStore({ path })
  const session = await store.create({ owner: ALICE, state: STATE })
  const stream = session.standaloneStream
  const acknowledged: string[] = []
  for (let round = 0; round < KILLS; round += 1) {
    const child = startChild(APPEND, path, session.id, stream, `round-${round}`)
    await child.printed(2 + Math.floor(Math.random() * 60))
    await child.kill()
    acknowledged.push(...child.lines.slice(1))
  }

  const replay = await store.events.readAfter(session.id, startOfStream(stream))
  if (replay.outcome !== 'events') throw new Error(replay.outcome)
  const stored = replay.events.map(({ id }) => id)
  expect(acknowledged.length).toBeGreaterThan(KILLS)
  expect(new Set(acknowledged).size).toBe(acknowledged.length)
  expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([])
  expect(stored).toEqual(stored.map((_, index) => `${stream}.${index + 1}`))
  // What was written but not acknowledged may be there, at most once and in order.
  for (let round = 0; round < KILLS; round += 1) {
    const label = `round-${round} `
    const numbers = replay.events
      .filter(({ data }) => data.startsWith(label))
      .map(({ data }) => Number(data.slice(label.length)))
    expect(numbers).toEqual(numbers.map((_, index) => index))
  }
})

it('processes that create a file together give every sequence number once', async () => {
  await using folder = await createFolder()
  const path = join(folder.path, 'sessions.db')
  const together = Array.from({ length: 4 }, () =>
    startChild(APPEND, path, 'no-session', 'tag.0', 'opener', '0'),
  )
  expect(await Promise.all(together.map((child) => child.ended()))).toEqual([0, 0, 0, 0])

  const limits = { eventsPerStream: 1_000_000 }
  await using store = await openSqliteSessionStore({ path, limits })
  const session = await store.create({ owner: ALICE, state: STATE })
  const stream = session.standaloneStream
  const writers = Array.from({ length: 4 }, (_, index) =>
    startChild(APPEND, path, session.id, stream, `writer-${index}`, '100'),
  )
  expect(await Promise.all(writers.map((child) => child.ended()))).toEqual([0, 0, 0, 0])
  const replay = await store.events.readAfter(session.id, startOfStream(stream))
  if (replay.outcome !== 'events') throw new Error(replay.outcome)
  const stored = replay.events.map(({ id }) => id)
  expect(stored).toEqual(Array.from({ length: 400 }, (_, index) => `${stream}.${index + 1}`))
  const acknowledged = writers.flatMap((child) => child.lines.slice(1))
  expect(acknowledged.toSorted()).toEqual(stored.toSorted())
})
