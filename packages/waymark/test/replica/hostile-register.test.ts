import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  BadRegister,
  EMPTY_REGISTER,
  hasRoom,
  parseRegister,
  type RegisterFiles,
  toFiles,
} from '../../src/sync/live/register.ts'
import { HIGHEST_FENCE, LATEST_TIME } from '../../src/sync/live/values.ts'
import type { CarriedMessage } from '../../src/sync/live/carried-message.ts'
import { claimTask, releaseTask, renewTask } from '../../src/task/lease/operations.ts'
import { createTask, getTasks } from '../../src/task/operations.ts'
import { explainTask } from '../../src/task/queue/explain.ts'
import { listTasks } from '../../src/task/queue/list.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { type Clone, createTeam, type Team } from './clones.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'

const TASK = toEntityId('0190a0b0-0000-7000-8000-000000000001')
const LEASE = {
  task: TASK,
  agent: 'eve',
  person: '',
  clone: '0123abcd',
  nonce: 'a'.repeat(32),
  fence: 3,
  granted: 1,
  expires: 2,
}

const MESSAGE = {
  clone: '0123abcd',
  number: 7,
  person: 'Eve',
  from: 'claude-code',
  task: TASK,
  severity: 'info',
  subject: '',
  body: 'Drop the old table?\n',
  at: 5,
}

function filesWith(leases: string, head: unknown = { version: 1, fence: 3 }): RegisterFiles {
  return {
    ...toFiles(EMPTY_REGISTER),
    register: Buffer.from(JSON.stringify(head)),
    leases: Buffer.from(leases),
  }
}

function line(changes: object): string {
  return `${JSON.stringify({ ...LEASE, ...changes })}\n`
}

async function cloneWithTask(team: Team, name: string): Promise<{ clone: Clone; id: string }> {
  const clone = await team.clone(name, { coordination: 'auto' })
  const { task } = await clone.run(createTask, { title: 'Write the parser' })
  await clone.sync()
  return { clone, id: task.id }
}

/** Puts these files into the ref at the remote. */
function putRegister({ remote }: Team, files: Readonly<Record<string, string | Buffer>>): void {
  const git = (args: readonly string[], input: string | Buffer = ''): string =>
    execFileSync('git', ['-C', remote, ...args], { input, encoding: 'utf8' }).trim()
  const entries = Object.entries(files).map(([name, content]) => {
    return `100644 blob ${git(['hash-object', '-w', '--stdin'], content)}\t${name}\n`
  })
  const tree = git(['mktree'], entries.join(''))
  const who = ['-c', 'user.name=eve', '-c', 'user.email=eve@example.invalid']
  git(['update-ref', 'refs/waymark/live', git([...who, 'commit-tree', tree, '-m', 'x'])])
}

describe('the register of claims', () => {
  test('is read as it was written', () => {
    const register = {
      fence: 3,
      leases: new Map([[TASK, LEASE]]),
      closed: new Map([[TASK, { task: TASK, clone: '0123abcd', by: 'eve', fence: 2 }]]),
      clones: new Map([['0123abcd', { clone: '0123abcd', person: 'Eve', seen: 5 }]]),
      messages: new Map<string, CarriedMessage>([
        ['0123abcd 7', MESSAGE],
        ['0123abcd 8', { ...MESSAGE, number: 8, answers: { clone: 'abcd0123', number: 1 } }],
        ['0123abcd 9', { ...MESSAGE, number: 9, body: '', closed: 6 }],
      ]),
    }
    expect(parseRegister(toFiles(register))).toEqual(register)
  })

  test('leaves out lines that break a rule, and keeps the others [hostile-register]', () => {
    const bad = [
      { task: 'DROP TABLE' },
      { clone: 'too long a name' },
      { nonce: 'short' },
      { agent: '' },
      { agent: 'x'.repeat(61) },
      { agent: 'a\u202Eb' },
      { agent: ['eve'] },
      { fence: -1 },
      { fence: 2 ** 60 },
      { fence: '3' },
      { expires: 1e300 },
      { granted: null },
    ].map(line)
    const { leases } = parseRegister(filesWith([...bad, 'no JSON\n', '[]\n', line({})].join('')))
    expect([...leases.values()]).toEqual([LEASE])
  })

  test('leaves out messages that break a rule, and keeps the others [hostile-messages]', () => {
    const bad = [
      { clone: 'x' },
      { number: -1 },
      { person: '' },
      { person: 'a\u202Eb' },
      { from: 'x'.repeat(61) },
      { task: '../../etc' },
      { severity: 'DROP' },
      { subject: 'two\nlines' },
      { body: 'x'.repeat(5_000) },
      { body: 'a\0b' },
      { body: '\uD800' },
      { at: 'now' },
      { answers: { clone: '../..', number: 1 } },
      { answers: [] },
      { closed: 1e300 },
    ].map((changes) => JSON.stringify({ ...MESSAGE, ...changes }))
    const files = {
      ...toFiles(EMPTY_REGISTER),
      messages: Buffer.from([...bad, JSON.stringify(MESSAGE)].join('\n')),
    }
    expect([...parseRegister(files).messages.values()]).toEqual([MESSAGE])
  })

  test('is below 256 KB with everything that fits, whatever the names are [register-size]', () => {
    const many = <T>(count: number, make: (id: string, at: number) => [string, T]) =>
      new Map(Array.from({ length: count }, (_, at) => make(at.toString(16).padStart(8, '0'), at)))
    const name = '\u{1F600}'.repeat(60)
    const taskOf = (id: string) => toEntityId(`${id}${TASK.slice(8)}`)
    let register = { ...EMPTY_REGISTER, leases: new Map<string, typeof LEASE>() }
    for (let at = 0; hasRoom(register); at += 1) {
      const task = taskOf(at.toString(16).padStart(8, '0'))
      const lease = { ...LEASE, task, agent: name, person: name }
      register = { ...register, leases: new Map([...register.leases, [task, lease]]) }
    }
    const files = toFiles({
      ...register,
      closed: many(2_000, (id) => [id, { task: taskOf(id), clone: id, by: name, fence: 2 ** 40 }]),
      clones: many(200, (id, seen) => [id, { clone: id, person: name, seen }]),
      messages: many(200, (id) => [id, { ...MESSAGE, clone: id, body: 'x'.repeat(4_000) }]),
    })
    const bytes = Object.values(files).reduce((sum, { length }) => sum + length, 0)
    expect(bytes).toBeLessThan(256 * 1024)
    expect(parseRegister(files).leases.size).toBe(register.leases.size)
  })

  test('of more leases than allowed, or more closed tasks, stays bounded', () => {
    const many = Array.from({ length: 5_000 }, (_, at) => {
      const task = toEntityId(`0190a0b0-0000-7000-8000-${String(at).padStart(12, '0')}`)
      return { task, clone: '0123abcd', by: '\u{1F980}'.repeat(60), fence: at }
    })
    const closed = new Map(many.map((each) => [each.task, each]))
    const files = toFiles({ ...EMPTY_REGISTER, closed })
    expect(files.closed.length).toBeLessThanOrEqual(192 * 1024)
    // The newest are kept.
    expect([...parseRegister(files).closed.keys()].at(-1)).toBe(many.at(-1)?.task)
    const leases = many.map(({ task }) => line({ task })).join('')
    expect(parseRegister(filesWith(leases)).leases.size).toBe(500)
  })

  test.each([
    ['of a newer version', { version: 2, fence: 1 }],
    ['without a fence', { version: 1 }],
    ['with a fence that no number can follow', { version: 1, fence: Number.MAX_SAFE_INTEGER }],
    ['that is a list', []],
  ])('%s is refused', (_, head) => {
    expect(() => parseRegister(filesWith('', head))).toThrow(BadRegister)
  })

  test.each([
    ['with other files', { README: 'hello' }],
    ['that is too large', { register: '{"version":1,"fence":0}', leases: 'x'.repeat(300_000) }],
  ])('%s stops claims, and the error names the way out', async (_, files) => {
    await using team = createTeam()
    const { clone, id } = await cloneWithTask(team, 'ada')
    putRegister(team, files)
    await expect(clone.run(claimTask, { id })).rejects.toMatchObject({
      message: expect.stringContaining('git push origin :refs/waymark/live') as string,
      details: { reason: 'live_unreadable' },
    })
    // Knowledge is exchanged all the same.
    expect((await clone.sync()).notice).toContain('refs/waymark/live at origin cannot be used')
    clone.git('push', '--quiet', 'origin', ':refs/waymark/live')
    await clone.run(claimTask, { id })
  })

  test('with the highest fence stops claims until it is removed, and no longer [highest-fence]', async () => {
    await using team = createTeam()
    const { clone: ada, id } = await cloneWithTask(team, 'ada')
    const bob = await team.clone('bob', { coordination: 'auto' })
    const other = (await ada.run(createTask, { title: 'Write the lexer' })).task.id
    await ada.sync()
    await bob.sync()
    const putFence = (fence: number): void => {
      const register = JSON.stringify({ version: 1, fence })
      putRegister(team, { ...toFiles(EMPTY_REGISTER), register })
    }
    putFence(HIGHEST_FENCE - 1)
    expect((await ada.run(claimTask, { id })).lease.fence).toBe(HIGHEST_FENCE)
    for (const clone of [ada, bob]) {
      expect((await clone.sync()).notice).toBeUndefined()
      await expect(clone.run(claimTask, { id: other })).rejects.toMatchObject({
        message: expect.stringContaining('git push origin :refs/waymark/live') as string,
        details: { reason: 'live_unreadable' },
      })
    }
    ada.git('push', '--quiet', 'origin', ':refs/waymark/live')
    await ada.sync()
    await expect(bob.run(claimTask, { id })).rejects.toMatchObject({
      details: { reason: 'held_elsewhere' },
    })
    expect((await bob.run(claimTask, { id: other })).lease.fence).toBeLessThan(10)
    await expect(ada.run(claimTask, { id: other })).rejects.toMatchObject({
      details: { reason: 'held_elsewhere' },
    })
  })

  test.each([8.64e15, LATEST_TIME])(
    'with a lease until %d hides no task and breaks no answer [latest-lease]',
    async (expires) => {
      await using team = createTeam()
      const { clone: ada, id } = await cloneWithTask(team, 'ada')
      const leases = line({ task: id, granted: expires, expires })
      putRegister(team, { ...filesWith(leases) })
      await ada.sync()
      const isHeld = expires <= LATEST_TIME
      const outcome = await ada.run(claimTask, { id }).catch((error: unknown) => error)
      expect(outcome).toMatchObject(
        isHeld ? { details: { reason: 'held_elsewhere' } } : { task: { id } },
      )
      expect((await ada.run(listTasks, {})).tasks).toMatchObject([{ id }])
      expect((await ada.run(getTasks, { ids: [id] })).tasks).toMatchObject([{ id }])
      await ada.run(explainTask, { id })
      expect((await ada.run(claimTask, { id, force: true })).task.id).toBe(id)
    },
  )

  test('that was deleted is written again by its holders, and gives out no fence twice', async () => {
    await using team = createTeam()
    const { clone: ada, id } = await cloneWithTask(team, 'ada')
    const bob = await team.clone('bob', { coordination: 'auto' })
    await bob.sync()
    const other = (await ada.run(createTask, { title: 'Write the lexer' })).task.id
    await ada.sync()
    await bob.sync()
    await ada.run(claimTask, { id })
    const first = await bob.run(claimTask, { id: other })
    await bob.run(releaseTask, { id: other })
    ada.git('push', '--quiet', 'origin', ':refs/waymark/live')
    await ada.sync()
    await expect(bob.run(claimTask, { id })).rejects.toMatchObject({
      details: { reason: 'held_elsewhere' },
    })
    const second = await bob.run(claimTask, { id: other })
    expect(second.lease.fence).toBeGreaterThan(first.lease.fence)
  })
})

describe('a remote that refuses the register', () => {
  /** As a host does that protects all refs but those of the log. */
  function protect({ remote }: Team): string {
    const hook = join(remote, 'hooks', 'update')
    writeFileSync(
      hook,
      '#!/bin/sh\ncase "$1" in refs/waymark/live) echo protected ref >&2; exit 1;; esac\n',
    )
    chmodSync(hook, 0o755)
    return hook
  }

  test('is told once with what to set; this clone grants claims until a sync succeeds [refused-register]', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada', { coordination: 'auto' })
    const hook = protect(team)
    const { task } = await ada.run(createTask, { title: 'Write the parser' })
    const report = await ada.sync()
    expect(report.notice).toMatch(
      /protected ref.*GitHub, GitLab and Gitea.*waymark\.sync\.namespace/,
    )
    const claimed = await ada.run(claimTask, { id: task.id })
    expect(claimed.warnings).toBeUndefined()
    rmSync(hook)
    await ada.sync()
    expect(ada.git('ls-remote', team.remote, 'refs/waymark/live')).not.toBe('')
  })

  test('and the log with it is told of with the next claim, once [refused-log]', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada', { coordination: 'auto' })
    const add = async (title: string) => (await ada.run(createTask, { title })).task.id
    const first = await add('Write the parser')
    const [second, third] = [await add('Test the parser'), await add('Tell of the parser')]
    await ada.sync()
    await ada.run(claimTask, { id: first })
    const hook = join(team.remote, 'hooks', 'update')
    writeFileSync(hook, '#!/bin/sh\necho closed >&2; exit 1\n')
    chmodSync(hook, 0o755)
    await ada.run(completeTask, { id: first })
    await expect(ada.sync()).rejects.toMatchObject({ details: { reason: 'push_refused' } })
    const claimed = await ada.run(claimTask, { id: second })
    expect(claimed.warnings?.map(({ code, message }) => [code, message])).toEqual([
      ['local_claim', expect.stringMatching(/closed.*claims hold in this clone only$/)],
    ])
    expect((await ada.run(claimTask, { id: third })).warnings).toBeUndefined()
    rmSync(hook)
    expect((await ada.sync()).claims.lost).toEqual([])
    expect((await ada.run(renewTask, { id: second })).lease.fence).toBe(claimed.lease.fence)
  })

  test('stops claims where the remote must grant them', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada', { coordination: 'git' })
    protect(team)
    const { task } = await ada.run(createTask, { title: 'Write the parser' })
    await expect(ada.run(claimTask, { id: task.id })).rejects.toMatchObject({
      details: { reason: 'push_refused', refs: ['refs/waymark/live'] },
    })
  })
})

test('a claim takes two round trips, and nothing is added to the repository of the user [two-round-trips]', async () => {
  await using team = createTeam()
  const { clone, id } = await cloneWithTask(team, 'ada')
  const objects = clone.git('count-objects', '-v')
  const trace = join(clone.directory, '..', 'trace.log')
  process.env['GIT_TRACE'] = trace
  try {
    await clone.run(claimTask, { id })
  } finally {
    delete process.env['GIT_TRACE']
  }
  const calls = readFileSync(trace, 'utf8').match(/built-in: git (?:fetch|push|ls-remote) /g)
  expect(calls).toHaveLength(2)
  expect(clone.git('count-objects', '-v')).toBe(objects)
})
