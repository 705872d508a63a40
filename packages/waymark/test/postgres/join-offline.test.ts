import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createMachine, createTeam, startReplica } from './joined-clone.ts'

interface Tasks {
  readonly tasks: readonly { readonly number: number; readonly title: string }[]
}
interface Inbox {
  readonly messages: readonly { readonly body: string }[]
}

it('offline a joined clone reads its copy, refuses writes, and delivers messages and notes once [team-join-offline]', async () => {
  await using team = await createTeam()
  await using ann = await team.join('ann')
  await using bo = await team.join('bo')
  await bo.run(['agent', 'join'])
  await bo.run(['task', 'create', 'Parser'])
  // Copies are made when joining and renewed by commands; this clone has read nothing since.
  await using cy = await team.join('cy')
  await team.replica.stop()

  const [listed, refused, sent, noted, inbox, code] = await Promise.all([
    cy.run<Tasks>(['task', 'list']),
    cy.run(['task', 'claim', '1']),
    cy.run(['message', 'send', 'Back at six']),
    ann.run(['add', 'note', 'Tabs are eight wide']),
    cy.run(['inbox']),
    cy.run(['code', 'status']),
  ])
  expect(listed.body.tasks).toMatchObject([{ number: 1, title: 'Parser' }])
  expect(listed.err).toMatch(/^offline: http:\S+ cannot be reached; this is what was known there/)
  const offline = { code: 'storage_unavailable', details: { reason: 'offline' } }
  expect(refused.body).toMatchObject({ error: offline })
  expect(inbox.body).toMatchObject({ error: offline })
  for (const { exit, body } of [sent, noted])
    expect([exit, body]).toMatchObject([0, { error: { code: 'queued', retryable: false } }])
  expect(code.exit).toBe(0)

  await using again = await startReplica(team.database, team.replica.port)
  expect(again.url).toBe(team.replica.url)
  const back = await cy.run(['status'])
  expect(back.err).toContain('delivered: 1')
  expect((await cy.run(['status'])).err).toBe('')
  await ann.run(['status'])
  const { body } = await bo.run<Inbox>(['inbox'])
  expect(body.messages.map((message) => message.body)).toEqual(['Back at six'])
  const found = await bo.run<{ entities: object[] }>(['list', '--type', 'note'])
  expect(found.body.entities).toMatchObject([{ title: 'Tabs are eight wide' }])
})

/** All that is known, in an order that depends on nothing else. */
async function snapshotOf(machine: ReturnType<typeof createMachine>): Promise<readonly object[]> {
  await machine.run(['backup', 'export', 'all.jsonl', '--force'])
  const lines = readFileSync(join(machine.directory, 'all.jsonl'), 'utf8').split('\n')
  return lines.filter((line) => line.startsWith('{"id":')).map((line) => JSON.parse(line) as object)
}

async function historyOf(machine: ReturnType<typeof createMachine>, count: number) {
  const numbers = Array.from({ length: count }, (_, at) => String(at + 1))
  return await Promise.all(
    numbers.map(async (number) => (await machine.run(['entity', 'history', number])).body),
  )
}

it('a project moves to a team server and back with numbers, history and authors [team-round-trip]', async () => {
  await using team = await createTeam()
  await using local = createMachine()
  const steps = [
    'init',
    'add decision Storage --content SQLite --tag db --actor ada',
    'add note Walls --content brick --actor bo',
    'task create Parser --lock src/** --priority high --actor ada',
    'task create Lexer --actor cy',
    'relation create 3 1 --type implements --actor ada',
    'relation create 4 3 --type blocks --actor cy',
    'task claim 4 --actor cy',
    'task complete 4 --actor cy',
    'edit 2 --content stone --actor ada',
    'edit 2 --title Roofs --actor cy',
    'add note Doomed --actor bo',
    'delete 5 --force --actor ada',
    'add component Core --content Ünïcödé --actor ada',
  ]
  for (const step of steps) {
    const { exit, err } = await local.run(step.split(' '))
    expect([step, exit, err]).toEqual([step, 0, ''])
  }
  const before = [await snapshotOf(local), await historyOf(local, 6)]
  const token = await team.token('ada', '--role', 'maintainer')
  const joined = await local.run(['join', team.replica.url, '--push'], { WAYMARK_TOKEN: token })
  expect(joined.body).toMatchObject({ pushed: { sent: 6, renumbered: [], unreadable: [] } })
  expect((await local.run<Tasks>(['task', 'list', '--all'])).body.tasks).toHaveLength(2)

  await using other = await team.join('bo')
  const left = await other.run(['join', '--leave', '--pull'])
  expect(left.body).toMatchObject({ left: true })
  expect([await snapshotOf(other), await historyOf(other, 6)]).toEqual(before)
  // A second push changes nothing, and one without the role is refused.
  const repeated = await local.run(['join', team.replica.url, '--push'], { WAYMARK_TOKEN: token })
  expect(repeated.body).toMatchObject({ pushed: { created: 0, updated: 0, relations: 0 } })
  const agent = { WAYMARK_TOKEN: await team.token('cy') }
  const refused = await local.run(['join', team.replica.url, '--push'], agent)
  expect(refused.body).toMatchObject({ error: { code: 'forbidden' } })
})

it('what was purged at the server is deleted restorably in the store of a clone that leaves [team-pull-purge]', async () => {
  await using team = await createTeam()
  await using local = createMachine()
  for (const step of ['init', 'add note Walls --content brick'])
    expect((await local.run(step.split(' '))).exit).toBe(0)
  const token = await team.token('ada', '--role', 'maintainer')
  await local.run(['join', team.replica.url, '--push'], { WAYMARK_TOKEN: token })
  await using other = await team.join('bo', '--role', 'maintainer')
  expect((await other.run(['purge', '1', '--force'])).exit).toBe(0)
  expect((await local.run(['join', '--leave', '--pull'])).body).toMatchObject({ left: true })
  expect((await local.run(['get', '1'])).exit).toBe(3)
  expect((await local.run(['restore', '1'])).body).toMatchObject({ content: 'brick' })
})
