import { join } from 'node:path'
import * as z from 'zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listAgents } from '../../../src/agent/operations.ts'
import { whyCode } from '../../../src/annotation/read/why.ts'
import { showBrief } from '../../../src/brief/operations.ts'
import type { Context } from '../../../src/core/context.ts'
import { execute } from '../../../src/core/execute.ts'
import { defineOperation, type Operation } from '../../../src/core/operation.ts'
import { type CodeSource, createCodeSource } from '../../../src/git/code-source.ts'
import { createEntity, getEntity } from '../../../src/entity/operations.ts'
import { listEvents, waitForEvents } from '../../../src/event/operations.ts'
import { showCache } from '../../../src/project/cache.ts'
import { showStatus } from '../../../src/project/status.ts'
import { allOperations } from '../../../src/registry.ts'
import { searchByMeaning, searchByQuery, searchByText } from '../../../src/search/operations.ts'
import { explainTask } from '../../../src/task/queue/explain.ts'
import { setup } from '../../setup.ts'
import { CODE, createWorld, hashFiles, READER, UNCOPIED, type World } from './world.ts'

const READS = (await allOperations()).filter(({ effect }) => effect === 'read')

/** Every field that has a value in the world, so that a new operation is called with those fields too. */
function inputOf({ inputs }: World, { name, input }: Operation): Readonly<Record<string, unknown>> {
  const fields = Object.keys(input.shape).flatMap((field) => {
    const value = inputs[`${name}.${field}`] ?? inputs[field]
    return value === undefined ? [] : [[field, value] as const]
  })
  return Object.fromEntries(fields)
}

describe('a read on a read-only server', () => {
  let world: World
  let reader: Context
  let code: CodeSource
  beforeAll(async () => {
    world = await createWorld()
    const stateDir = join(world.directory, '.git', 'waymark')
    code = createCodeSource({ root: world.directory, stateDir, inGit: true, isReadOnly: true })
    reader = world.as(READER, { access: { readOnly: true }, code })
  })
  afterAll(async () => {
    await code[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })

  it('changes no file of the repository, whichever operation it is', async () => {
    let before = hashFiles(world)
    for (const operation of READS) {
      await execute(reader, operation, inputOf(world, operation))
      const after = hashFiles(world)
      expect.soft(after, operation.name).toEqual(before)
      before = after
    }
    expect(READS.length).toBeGreaterThan(50)
  })

  it('finds texts that are missing in the stored search index', async () => {
    const query = { query: 'walls' }
    for (const { results } of [
      await execute(reader, searchByText, query),
      await execute(reader, searchByQuery, query),
      await execute(reader, searchByMeaning, query),
    ]) {
      const titles = results.map(({ title }) => title).toSorted()
      expect(titles).toEqual(['Paint the walls', 'Walls of brick'])
    }
  })

  it('answers from Git notes that the store has no copy of', async () => {
    const answer = await execute(reader, whyCode, { path: CODE })
    expect(JSON.stringify(answer)).toContain(UNCOPIED)
  })

  it('shows an expired lease as expired', async () => {
    expect(await execute(reader, showStatus, {})).toMatchObject({ ready: [{ number: 2 }] })
    const explained = await execute(reader, explainTask, { id: '2' })
    expect(explained).toMatchObject({ claimable: true, obstacles: [] })
  })

  it('sleeps while it waits for events, although a lease has expired', async () => {
    const { events } = reader.store
    let reads = 0
    const counted = {
      ...events,
      after: (...query: Parameters<typeof events.after>) => {
        reads += 1
        return events.after(...query)
      },
    }
    const store = { ...reader.store, reader: { ...reader.store.reader, events: counted } }
    await execute({ ...reader, store }, waitForEvents, { seconds: 1 })
    expect(reads).toBeLessThan(5)
  })

  it('finds an entity that another process has created since the last search', async () => {
    const query = { query: 'windows' }
    expect(await execute(reader, searchByText, query)).toMatchObject({ total: 0 })
    await execute(world.context, createEntity, { type: 'note', title: 'Windows' })
    expect(await execute(reader, searchByText, query)).toMatchObject({ total: 1 })
  })
})

describe('a read on a server that may write', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const findAgent = async (name: string) => {
    const { agents } = await execute(world.context, listAgents, { include_offline: true })
    return agents.find((agent) => agent.name === name)
  }

  it('updates when the agent was seen', async () => {
    expect(await findAgent(READER)).toMatchObject({ presence: 'offline' })
    await execute(world.as(READER), getEntity, { id: '1' })
    expect(await findAgent(READER)).toMatchObject({ presence: 'active' })
  })

  it('stores the search index and the vectors that a search has made', async () => {
    const stale = { is_current: false, documents: 5, vectors: 0 }
    expect(await execute(world.context, showCache, {})).toMatchObject(stale)
    await execute(world.as(READER), searchByMeaning, { query: 'walls' })
    const stored = { is_current: true, documents: 6, vectors: 6, pending: 0 }
    expect(await execute(world.context, showCache, {})).toMatchObject(stored)
  })

  it('stores a copy of Git notes', async () => {
    const { annotations } = world.context.store
    const copied = async () => (await annotations.counts([world.notesRef])).records
    expect(await copied()).toBe(1)
    await execute(world.as(READER), whyCode, { path: CODE })
    expect(await copied()).toBe(2)
  })

  it('ends expired leases before it lists events', async () => {
    const { events } = await execute(world.as(READER), listEvents, { types: ['lease.expired'] })
    expect(events).toHaveLength(1)
    expect(await world.context.store.leases.nextExpiry()).toBeUndefined()
  })

  it('adds the reader of a brief to the agents and stores its cursor', async () => {
    const newcomer = world.as('newcomer')
    const { cursor } = await execute(newcomer, showBrief, {})
    expect(await findAgent('newcomer')).toMatchObject({ presence: 'active' })
    expect(await execute(newcomer, listEvents, { since: cursor })).toMatchObject({ events: [] })
    expect(await execute(newcomer, showBrief, {})).toMatchObject({ since: expect.any(String) })
  })
})

describe('the store of a read', () => {
  const wanted = defineOperation({
    name: 'test.read',
    example: '',
    summary: 'Tries to write',
    effect: 'read',
    input: z.object({}),
    output: z.object({ methods: z.array(z.string()) }),
    async run({ store }) {
      // @ts-expect-error: the type has no write method.
      const write: unknown = store.write
      expect(write).toBeUndefined()
      return { methods: Object.keys(store).filter((name) => /write|sweep|close|copy/.test(name)) }
    },
    show: () => [],
  })

  it('has no write method, by type and at run time', async () => {
    await using project = await setup()
    expect(await execute(project.context, wanted, {})).toEqual({ methods: [] })
  })
})
