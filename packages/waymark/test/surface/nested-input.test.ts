import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { joinAgent } from '../../src/agent/operations.ts'
import { setup } from '../setup.ts'
import { shell } from './shell.ts'
import { createTestSite } from './test-site.ts'

/** `{"a":{"a":… 1 …}}` */
function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
}

function post(body: string): RequestInit {
  return { method: 'POST', body, headers: { 'content-type': 'application/json' } }
}

describe('input that nests too deeply or has too many members', () => {
  it.each([
    [
      'agent.join',
      `{"name":"ada","capabilities":${nested(200_000)}}`,
      'nests deeper than 64 levels',
    ],
    [
      'entity.create',
      `{"type":"note","title":"x","properties":${nested(64)}}`,
      'nests deeper than 64 levels',
    ],
    ['entity.create', '['.repeat(1_000_000), 'nests deeper than 64 levels'],
    [
      'entity.create',
      JSON.stringify(Object.fromEntries(Array.from({ length: 131_073 }, (_, at) => [`a${at}`, 1]))),
      'has more than 131072 members',
    ],
    ['entity.create', `[${'1,'.repeat(300_000)}1]`, 'has more than 262144 values'],
  ])('POST /api/%s answers 400 and names the limit', async (name, body, message) => {
    await using project = await setup()
    await using site = createTestSite(project.directory)
    const response = await site.ask(`/api/${name}`, post(body))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { code: 'invalid_input', message: `body: ${message}`, details: { field: 'body' } },
    })
    expect(await project.context.store.events.latest()).toBe(0)
  })

  it('POST /api/agent.join takes what nests up to the limit', async () => {
    await using project = await setup()
    await using site = createTestSite(project.directory)
    const body = `{"name":"ada","capabilities":${nested(62)}}`
    expect((await site.ask('/api/agent.join', post(body))).status).toBe(200)
  })

  it('a large input is searched for secrets in steps, with turns for others in between', async () => {
    await using project = await setup()
    const capabilities = Array.from({ length: 50_000 }, (_, at) => `a text of some length ${at}`)
    let turns = 0
    let isDone = false
    const count = (): void => {
      turns += 1
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    await execute(project.context, joinAgent, { name: 'ada', capabilities: { can: capabilities } })
    isDone = true
    expect(turns).toBeGreaterThan(50)
  })

  it('execute refuses it whichever way it came [nested-input-execute-refuses]', async () => {
    await using project = await setup()
    const capabilities: unknown = JSON.parse(nested(100_000))
    await expect(
      execute(project.context, joinAgent, { name: 'ada', capabilities }),
    ).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'input: nests deeper than 64 levels',
    })
  })

  it.each([
    ['--input', ['agent', 'join', '--input', `{"name":"ada","capabilities":${nested(20_000)}}`]],
    ['a flag', ['agent', 'join', 'ada', '--capabilities', nested(20_000)]],
  ])('the command line refuses it in %s, and says so', async (_, args) => {
    await using sh = await shell()
    expect(await sh.run(args)).toMatchObject({
      exit: 2,
      err: expect.stringContaining('input: nests deeper than 64 levels'),
    })
  })
})
