import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { showBrief } from '../../src/brief/operations.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { showStatus } from '../../src/project/status.ts'
import { print } from '../../src/surfaces/terminal/print.ts'
import { createTask, updateTask } from '../../src/task/operations.ts'
import { explainTask } from '../../src/task/queue/explain.ts'
import { type Clone, createTeam, git, type Team } from './clones.ts'

const style = { interactive: false, colors: false, columns: 120, now: Date.now }
const note = { type: 'note', title: 'a note' } as const

afterEach(() => vi.unstubAllEnvs())

async function expectSame(...clones: readonly Clone[]): Promise<void> {
  const [first, ...others] = await Promise.all(clones.map((clone) => clone.snapshot()))
  for (const other of others) expect(other).toEqual(first)
}

/** The remote accepts branches only. Returns how to make it accept everything again. */
function refuseOwnRefs({ remote }: Team): () => void {
  const hook = join(remote, 'hooks', 'update')
  const words = 'echo "only branches here" >&2'
  writeFileSync(hook, `#!/bin/sh\ncase "$1" in refs/heads/*) ;; *) ${words}; exit 1;; esac\n`)
  chmodSync(hook, 0o755)
  return () => rmSync(hook)
}

/** From here on git runs with these settings of the user. */
function useGlobal({ remote }: Team, settings: Readonly<Record<string, string>>): void {
  const file = join(dirname(remote), 'user.config')
  writeFileSync(file, '')
  for (const [key, value] of Object.entries(settings))
    git('.', 'config', '--file', file, key, value)
  vi.stubEnv('GIT_CONFIG_GLOBAL', file)
}

test('a clone that only reads a long log gives no entity another number and sends nothing [reader-renumbers-nothing]', async () => {
  await using team = createTeam()
  await using fork = createTeam()
  const [ada, bob, eve] = [
    await team.clone('ada'),
    await team.clone('bob'),
    await fork.clone('eve'),
  ]
  await ada.run(createEntity, note)
  await ada.sync()
  // Longer than what is read at once, so that the repair of their numbers comes in a later part.
  for (let n = 0; n < 13; n++) {
    await eve.run(createEntity, { ...note, content: 'x'.repeat(90_000 + n) })
  }
  await eve.sync()
  await bob.sync()
  expect((await bob.sync({ remote: fork.remote, join: true })).renumbered).not.toEqual([])
  await bob.sync()
  await ada.sync()
  const tip = git(team.remote, 'rev-parse', 'refs/waymark/log')
  const reader = await team.clone('cy')
  expect(await reader.sync()).toMatchObject({ renumbered: [], sent: { entities: 0 } })
  expect(git(team.remote, 'rev-parse', 'refs/waymark/log')).toBe(tip)
  await expectSame(ada, bob, reader)
})

describe('a remote that refuses the refs', () => {
  test('is told with ref, words of the server and what was done; status, preview and check say so until it is pushed [not-pushed]', async () => {
    await using team = createTeam()
    const [ada, bob] = [await team.clone('ada'), await team.clone('bob')]
    await bob.run(createEntity, note)
    await bob.sync()
    const accept = refuseOwnRefs(team)
    await ada.run(createEntity, { ...note, title: 'mine' })
    const refused = ada.sync()
    await expect(refused).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'push_refused', refs: ['refs/waymark/log'], said: 'only branches here' },
    })
    await expect(refused).rejects.toThrow(
      /^origin refuses refs\/waymark\/log \(hook declined\), and says: only branches here; what others did is taken in; .*--no-push$/,
    )
    const status = await ada.run(showStatus, {})
    expect(status).toMatchObject({ unsent: 0, unpushed: 1 })
    expect(status.push_refusal).toContain('only branches here')
    const shown = await print(showStatus.show(status), style)
    expect(shown).toMatch(/ 0 not synced · 1 not pushed\n/)
    expect(shown).toContain('warning: not pushed: origin refuses refs/waymark/log')
    expect((await ada.sync({ dry_run: true })).sent.entities).toBe(1)
    const { checks } = await ada.run(checkStore, {})
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'pushed', status: 'warning', fix: 'waymark sync' }),
    )
    accept()
    await ada.sync()
    const pushed = await ada.run(showStatus, {})
    expect([pushed.unpushed, pushed.push_refusal]).toEqual([0, undefined])
    expect(await print(showStatus.show(pushed), style)).toMatch(/ 0 not synced\n/)
    expect((await ada.sync({ dry_run: true })).sent.entities).toBe(0)
  })

  test('can have them among its branches', async () => {
    await using team = createTeam()
    useGlobal(team, { 'waymark.sync.namespace': 'refs/heads/waymark' })
    refuseOwnRefs(team)
    const [ada, bob] = [await team.clone('ada'), await team.clone('bob')]
    await ada.run(createEntity, note)
    expect((await ada.sync()).sent).toEqual({ entities: 1, pushed: true })
    expect(git(team.remote, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/waymark/log\n')
    expect((await bob.sync()).received.created).toBe(1)
  })

  test.each(['refs', 'heads/waymark', 'refs/heads/*', 'refs/heads/../x', '+refs/x'])(
    'cannot have them in %s',
    async (namespace) => {
      await using team = createTeam()
      useGlobal(team, { 'waymark.sync.namespace': namespace })
      const ada = await team.clone('ada')
      await expect(ada.sync()).rejects.toMatchObject({
        code: 'invalid_input',
        details: { field: 'waymark.sync.namespace' },
      })
    },
  )
})

test('a remote that is only read gets nothing, and the answer says why', async () => {
  await using team = createTeam()
  const [ada, bob] = [await team.clone('ada'), await team.clone('bob')]
  await bob.run(createEntity, note)
  await bob.sync()
  const tip = git(team.remote, 'rev-parse', 'refs/waymark/log')
  useGlobal(team, { 'waymark.sync.readonly': 'origin' })
  await ada.run(createEntity, { ...note, title: 'mine' })
  expect(await ada.sync()).toMatchObject({
    received: { created: 1 },
    sent: { entities: 1, pushed: false },
    notice: expect.stringContaining('waymark.sync.readonly') as string,
  })
  expect(git(team.remote, 'rev-parse', 'refs/waymark/log')).toBe(tip)
  expect((await ada.run(showStatus, {})).unpushed).toBe(1)
})

test('the log of another project is refused, unless it is joined on purpose [other-project]', async () => {
  await using team = createTeam()
  await using strangers = createTeam()
  const [ada, eve] = [await team.clone('ada'), await strangers.clone('eve')]
  await ada.run(createEntity, note)
  await eve.run(createEntity, { ...note, title: 'theirs' })
  await ada.sync()
  await eve.sync()
  for (const remote of [strangers.remote, strangers.remote]) {
    await expect(ada.sync({ remote })).rejects.toMatchObject({ details: { reason: 'other_log' } })
  }
  expect((await ada.run(showStatus, {})).recent).toHaveLength(1)
  expect(git(strangers.remote, 'rev-list', '--count', 'refs/waymark/log').trim()).toBe('1')
  expect((await ada.sync({ remote: strangers.remote, join: true })).received.created).toBe(1)
  // From then on they are one.
  await ada.sync({ remote: strangers.remote })
  await ada.sync()
  await eve.sync()
  await expectSame(ada, eve)
})

test('a cycle made by a merge is told by sync, status, brief and explain [merged-cycle]', async () => {
  await using team = createTeam()
  const [ada, bob] = [await team.clone('ada'), await team.clone('bob')]
  await ada.run(createTask, { title: 'Lay' })
  await ada.run(createTask, { title: 'Oil' })
  await ada.sync()
  await bob.sync()
  await ada.run(updateTask, { id: '1', add_depends_on: ['2'] })
  await bob.run(updateTask, { id: '2', add_depends_on: ['1'] })
  expect((await ada.sync()).cycles).toEqual([])
  for (const clone of [bob, ada]) {
    const { cycles } = await clone.sync()
    expect(cycles).toHaveLength(1)
    expect(new Set(cycles[0]?.map(({ number, title }) => `${number} ${title}`))).toEqual(
      new Set(['1 Lay', '2 Oil']),
    )
    expect((await clone.run(showBrief, {})).next).toMatch(/#\d, #\d wait for each other/)
    for (const { why } of (await clone.run(showStatus, {})).blocked) expect(why).toContain('cycle')
    const { obstacles } = await clone.run(explainTask, { id: '1' })
    expect(obstacles[0]?.message).toContain('in a cycle')
  }
})

test('tasks that got the same key in two clones are told, and one can get another', async () => {
  await using team = createTeam()
  const [ada, bob] = [await team.clone('ada'), await team.clone('bob')]
  await ada.run(createTask, { title: 'Lay', key: 'floor' })
  await bob.run(createTask, { title: 'Oil', key: 'floor' })
  await ada.sync()
  expect((await bob.sync()).equal_keys).toEqual([{ key: 'floor', numbers: [1, 2] }])
  await expect(bob.run(explainTask, { id: 'floor' })).rejects.toThrow(
    /waymark task update 2 --key <key>$/,
  )
  await bob.run(updateTask, { id: '2', key: 'oil' })
  expect((await bob.run(explainTask, { id: 'floor' })).task.number).toBe(1)
})
