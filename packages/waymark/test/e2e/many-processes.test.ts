import { describe, expect, it } from 'vitest'
import { openProject } from '../../src/core/project/project.ts'
import { createProject } from '../setup.ts'
import { type ServerProcess, startServer } from './binary.ts'
import { BEFORE_ALL } from '../../src/event/event-id.ts'

/** Every entity and every event there is, read afresh. */
async function readAll(directory: string) {
  await using project = await openProject(directory)
  const titles: string[] = []
  for (let offset = 0; ; offset += 100) {
    const { entities } = await project.store.entities.list({ limit: 100, offset })
    titles.push(...entities.map(({ title }) => title))
    if (entities.length < 100) break
  }
  return { titles, events: await project.store.events.after(BEFORE_ALL, { limit: 100_000 }) }
}

describe('many processes on one store', () => {
  it('four servers create at once: every acknowledged entity is there, in one gap-free order of events [many-processes-four-servers]', async () => {
    await using repository = await createProject()
    const servers = await Promise.all([1, 2, 3, 4].map(() => startServer(repository.directory)))
    const acknowledged = await Promise.all(
      servers.map(async (server, at) => {
        const titles = Array.from({ length: 50 }, (_, number) => `${at}-${number}`)
        const answers = await Promise.all(titles.map((title) => server.create(title)))
        return titles.filter((_, number) => answers[number]?.result?.['isError'] !== true)
      }),
    )
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
    const { titles, events } = await readAll(repository.directory)
    expect(acknowledged.flat()).toHaveLength(200)
    expect(titles.toSorted()).toEqual(acknowledged.flat().toSorted())
    expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1))
    expect(countOf(events, 'entity.created')).toBe(200)
    expect(countOf(events, 'agent.joined')).toBe(4)
  })

  it('kill -9 of a writer, again and again, loses nothing that was acknowledged', async () => {
    await using repository = await createProject()
    await using survivor = await startServer(repository.directory)
    const acknowledged: string[] = []
    for (let round = 0; round < 8; round += 1) {
      const victim = await startServer(repository.directory)
      const writing = [
        write(victim, `v${round}`, acknowledged),
        write(survivor, `s${round}`, acknowledged),
      ]
      // Killed in the middle of its work: at an answer that is neither the first nor the last.
      while (acknowledged.filter((title) => title.startsWith(`v${round}-`)).length < 3 + round)
        await victim.request('ping')
      victim.child.kill('SIGKILL')
      await Promise.all([victim.closed, writing[1]])
    }
    const { titles, events } = await readAll(repository.directory)
    expect(acknowledged.length).toBeGreaterThan(8 * 30)
    expect(acknowledged.filter((title) => !titles.includes(title))).toEqual([])
    expect(new Set(titles).size).toBe(titles.length)
    expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1))
    expect(countOf(events, 'entity.created')).toBe(titles.length)
  })
})

function countOf(events: readonly { readonly type: string }[], type: string): number {
  return events.filter((event) => event.type === type).length
}

async function write(server: ServerProcess, prefix: string, acknowledged: string[]): Promise<void> {
  for (let number = 0; number < 30; number += 1) {
    const title = `${prefix}-${number}`
    const { result } = await server.create(title)
    if (result?.['isError'] !== true) acknowledged.push(title)
  }
}
