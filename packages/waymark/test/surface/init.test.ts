import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { doctorCommand } from '../../src/surfaces/install/doctor-command.ts'
import type { Terminal } from '../../src/surfaces/terminal/terminal.ts'
import { findRemoteKnowledge } from '../../src/sync/remote/remote-knowledge.ts'
import { createTeam, git } from '../replica/clones.ts'
import { createRepository } from '../setup.ts'
import { createTestTerminal } from './test-terminal.ts'

describe('init in a clone', () => {
  it('says that the remote has knowledge and gets it when asked to [init-offers-remote-knowledge]', async () => {
    await using team = createTeam()
    await teach(team)
    const clone = join(team.remote, '..', 'fresh')
    git(join(team.remote, '..'), 'clone', '--quiet', team.remote, clone)

    const before = await run(clone, ['list'])
    expect(before).toMatchObject({ exit: 5 })
    expect(before.err).toContain('run `waymark init`, which also looks for knowledge on the remote')
    const checked = createTestTerminal(clone)
    await doctorCommand({}, checked, { node: process.execPath, script: '' })
    expect(checked.output.out).toContain(
      'project: waymark init, which also looks for knowledge on the remote',
    )

    const piped = await run(clone, ['init'])
    expect(piped.exit).toBe(0)
    expect(piped.out).toContain('origin has knowledge of this project that is not here yet')
    expect(piped.out).toMatch(/Next:\n {2}waymark sync .*origin\n(.*\n)* {2}waymark doctor /)
    expect((await run(clone, ['list'])).out).toBe('nothing found\n')

    // It goes on saying so until the first sync, which a person may decline.
    const questions: string[] = []
    const answering = (answer: boolean): Partial<Terminal> => ({
      confirm: async (question) => (questions.push(question), answer),
    })
    await run(clone, ['init'], answering(false))
    expect((await run(clone, ['list'])).out).toBe('nothing found\n')
    const accepted = await run(clone, ['init'], answering(true))
    expect(accepted.out).toContain('came from origin: 1 created')
    expect((await run(clone, ['list'])).out).toContain('Keep sessions in SQLite')
    expect(questions).toEqual(['Get it now?', 'Get it now?'])
    expect((await run(clone, ['init'], answering(true))).out).not.toContain('has knowledge')
    expect(questions).toHaveLength(2)
  })

  it('--sync gets it at once and --no-sync does not contact the remote [init-sync-flags]', async () => {
    await using team = createTeam()
    await teach(team)
    const folder = join(team.remote, '..')
    for (const name of ['one', 'two', 'three']) git(folder, 'clone', '-q', team.remote, name)
    const synced = await run(join(folder, 'one'), ['init', '--sync'])
    expect(synced.out).toMatch(/is ready in(?:.*\n)+came from origin: 1 created\n(?:.*\n)+Next:\n/)
    const silent = await run(join(folder, 'two'), ['init', '--no-sync'])
    expect(silent.out).not.toContain('has knowledge')
    const told = JSON.parse((await run(join(folder, 'two'), ['init', '--json'])).out)
    expect(told).toMatchObject({ created: false, remote: { remote: 'origin', state: 'present' } })
    const report = JSON.parse((await run(join(folder, 'three'), ['init', '--sync', '--json'])).out)
    expect(report).toMatchObject({ created: true, sync: { received: { created: 1 } } })
  })

  it('makes the project although the remote is unreachable, and names the command to try [init-remote-unreachable]', async () => {
    await using repository = createRepository()
    git(repository.directory, 'remote', 'add', 'origin', 'http://127.0.0.1:1/none.git')
    const { exit, out } = await run(repository.directory, ['init'])
    expect(exit).toBe(0)
    expect(out).toContain('origin did not say whether it has knowledge of this project')
    expect(out).toContain('try `waymark sync`')
  })

  it('does not wait for a remote that never answers [init-remote-hangs]', async () => {
    await using repository = createRepository()
    await using server = await listen()
    git(repository.directory, 'remote', 'add', 'origin', `http://127.0.0.1:${server.port}/x.git`)
    const start = performance.now()
    const state = join(repository.directory, '.git', 'waymark')
    expect(await findRemoteKnowledge({ root: repository.directory, state }, 300)).toEqual({
      remote: 'origin',
      state: 'unknown',
    })
    expect(performance.now() - start).toBeLessThan(5_000)
  })

  it('starts no program that the configuration of the repository names [init-remote-programs]', async () => {
    await using repository = createRepository()
    const proof = join(repository.directory, 'started')
    git(repository.directory, 'remote', 'add', 'origin', `ext::touch ${proof}`)
    git(repository.directory, 'config', 'core.sshCommand', `touch ${proof}`)
    expect((await run(repository.directory, ['init'])).exit).toBe(0)
    expect(existsSync(proof)).toBe(false)
  })
})

describe('outside Git', () => {
  it('init says what will not work, and names the move once there is a repository [init-outside-git]', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-test-'))
    try {
      const first = await run(folder, ['init'])
      expect(first.out).toContain('This is not a Git repository: `waymark sync`')
      expect(first.out).toContain('run `git init`, then move `.waymark/state` to `.git/waymark`')
      expect(first.out).not.toContain('exchange knowledge')
      await run(folder, ['add', 'note', 'Kept'])
      const remedy = 'error: not a Git repository; run `git init`, then `waymark init`'
      expect((await run(folder, ['sync'])).err).toContain(remedy)
      git(folder, 'init', '--quiet')
      const refused = await run(folder, ['init'])
      expect(refused).toMatchObject({ exit: 5, out: '' })
      expect(refused.err).toMatch(/mv|move/)
      expect(refused.err).toContain('".waymark/state" ".git/waymark"')
      renameSync(join(folder, '.waymark/state'), join(folder, '.git/waymark'))
      expect((await run(folder, ['init'])).exit).toBe(0)
      expect((await run(folder, ['list'])).out).toContain('Kept')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('bare waymark shows the help and how to start; status stays an error [bare-outside-project]', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-test-'))
    try {
      const bare = await run(folder, [])
      expect(bare).toMatchObject({ exit: 0, err: '' })
      expect(bare.out).toContain('Usage: waymark')
      expect(bare.out).toMatch(/Start here: .*run `waymark init`\n$/)
      expect(await run(folder, ['status'])).toMatchObject({ exit: 5, out: '' })
      const asJson = await run(folder, ['--json'])
      expect(asJson.exit).toBe(5)
      expect(JSON.parse(asJson.err)).toMatchObject({ error: { code: 'not_initialised' } })
      // A project that cannot be used is an error, not a beginning.
      mkdirSync(join(folder, '.git'))
      git(folder, 'init', '--quiet')
      await run(folder, ['init'])
      rmSync(join(folder, '.git/waymark/waymark.db'))
      expect((await run(folder, [])).exit).toBe(1)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

async function teach(team: ReturnType<typeof createTeam>): Promise<void> {
  const clone = await team.clone('teacher')
  await run(clone.directory, ['add', 'decision', 'Keep sessions in SQLite'])
  await clone.sync()
}

async function run(directory: string, words: readonly string[], options: Partial<Terminal> = {}) {
  const terminal = createTestTerminal(directory, options)
  const exit = await runCli(words, terminal)
  return { exit, ...terminal.output }
}

/** A server that takes connections and says nothing. */
async function listen() {
  const sockets = new Set<{ destroy(): void }>()
  const server: Server = createServer((socket) => void sockets.add(socket.on('error', () => {})))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
