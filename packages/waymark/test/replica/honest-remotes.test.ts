import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createEntity, listEntities } from '../../src/operations/entities.ts'
import { startHttpRemote } from '../git/untrusted/http-remote.ts'
import { type Clone, createTeam, git, openClone, type Team } from './clones.ts'

afterEach(() => vi.unstubAllEnvs())

const USER = { user: 'ada', password: 'secret' }

/** The settings of the person who runs Waymark. */
function setUp({ remote }: Team, settings: Readonly<Record<string, string>> = {}): string {
  const file = join(dirname(remote), 'own.gitconfig')
  for (const [key, value] of Object.entries(settings))
    git(dirname(remote), 'config', '--file', file, '--add', key, value)
  vi.stubEnv('GIT_CONFIG_GLOBAL', file)
  return file
}

function writeProgram(path: string, lines: readonly string[]): string {
  writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\n`)
  chmodSync(path, 0o755)
  return path
}

/** Runs on this machine what it is asked to run on another one, and writes down for whom. */
function writeSsh(team: Team, name: string): string {
  const path = join(dirname(team.remote), name)
  return writeProgram(path, [
    `echo "$@" >> '${path}.calls'`,
    'for last; do :; done',
    'exec sh -c "$last"',
  ])
}

/** Something goes to the remote. */
async function send({ remote }: Team, clone: Clone, named?: string): Promise<void> {
  await clone.run(createEntity, { type: 'note', title: 'a note' })
  const { sent, notice } = await clone.sync(named === undefined ? {} : { remote: named })
  expect([sent.pushed, notice]).toEqual([true, undefined])
  expect(git(remote, 'for-each-ref', 'refs/waymark/log')).not.toBe('')
}

/** And comes from there. */
async function exchange(team: Team, clone: Clone): Promise<void> {
  const other = await team.clone('other')
  await other.run(createEntity, { type: 'note', title: 'of the other one' })
  await other.sync()
  await send(team, clone)
  expect(await clone.sync()).toMatchObject({ received: { created: 0 }, sent: { entities: 0 } })
  expect((await clone.run(listEntities, {})).entities).toHaveLength(2)
}

describe('a remote is reached as git reaches it', () => {
  it.each<[string, (team: Team) => string]>([
    ['by its path', ({ remote }) => remote],
    ['by a path with a slash at its end', ({ remote }) => `${remote}/`],
    ['by a path without its ending', ({ remote }) => remote.replace(/\.git$/, '')],
    ['by a relative path', ({ remote }) => `../${basename(remote)}`],
    ['by a file address', ({ remote }) => `file://${remote}`],
    ['by an encoded file address', ({ remote }) => `file://${remote.replace('r', '%72')}`],
    ['by a path from home', ({ remote }) => `~/${basename(remote)}`],
  ])('%s', async (_, urlOf) => {
    await using team = createTeam()
    vi.stubEnv('HOME', dirname(team.remote))
    const clone = await team.clone('c')
    clone.git('remote', 'set-url', 'origin', urlOf(team))
    await send(team, clone)
  })

  it('by an address that is named, also through a folder of the repository itself', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    git(clone.directory, 'init', '--quiet', '--bare', 'hub.git')
    await send({ ...team, remote: join(clone.directory, 'hub.git') }, clone, 'hub.git')
  })

  it('by ssh, with the program of one’s own settings', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const ssh = writeSsh(team, 'my-ssh')
    setUp(team, { 'core.sshCommand': ssh })
    for (const url of [`ssh://host.invalid${team.remote}`, `me@host.invalid:${team.remote}`]) {
      clone.git('remote', 'set-url', 'origin', url)
      await clone.sync()
    }
    await exchange(team, clone)
    expect(readFileSync(`${ssh}.calls`, 'utf8')).toContain('me@host.invalid')
  })

  it('by ssh, with the one that is on the PATH', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const ssh = writeSsh(team, 'ssh')
    vi.stubEnv('PATH', `${dirname(ssh)}:${process.env['PATH']}`)
    clone.git('remote', 'set-url', 'origin', `ssh://host.invalid${team.remote}`)
    await exchange(team, clone)
    expect(readFileSync(`${ssh}.calls`, 'utf8')).toContain('git-receive-pack')
  })

  it('by HTTP, with the credential helper of one’s own settings and the account that the repository names', async () => {
    await using team = createTeam()
    git(team.remote, 'config', 'http.receivepack', 'true')
    const clone = await team.clone('c')
    const helper = join(dirname(team.remote), 'helper')
    writeProgram(helper, [`tee -a '${helper}.calls'`, 'echo username=ada; echo password=secret'])
    setUp(team, { 'credential.helper': `!${helper}` })
    await using server = await startHttpRemote(dirname(team.remote), USER)
    clone.git('remote', 'set-url', 'origin', `${server.address}/${basename(team.remote)}`)
    clone.git('config', `credential.${server.address}.username`, 'ada')
    await exchange(team, clone)
    expect(readFileSync(`${helper}.calls`, 'utf8')).toContain('username=ada')
  })

  it('by HTTP, with the header that a CI system puts into the repository’s settings', async () => {
    await using team = createTeam()
    git(team.remote, 'config', 'http.receivepack', 'true')
    const clone = await team.clone('c')
    await using server = await startHttpRemote(dirname(team.remote), USER)
    const token = Buffer.from('ada:secret').toString('base64')
    clone.git('remote', 'set-url', 'origin', `${server.address}/${basename(team.remote)}`)
    clone.git('config', `http.${server.address}/.extraheader`, `AUTHORIZATION: basic ${token}`)
    await exchange(team, clone)
  })

  it('by an address that one’s own settings replace, and replace only once', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const ssh = writeSsh(team, 'my-ssh')
    setUp(team, {
      'core.sshCommand': ssh,
      'url.hub:.insteadOf': 'short:',
      [`url.${dirname(team.remote)}/.insteadOf`]: 'hub:',
    })
    clone.git('remote', 'set-url', 'origin', 'short:remote.git')
    await expect(clone.sync()).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(readFileSync(`${ssh}.calls`, 'utf8')).toMatch(/^hub git-upload-pack 'remote.git'/m)
    clone.git('remote', 'set-url', 'origin', 'hub:remote.git')
    await exchange(team, clone)
  })

  it('by one address for fetching and another one for pushing', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const folder = dirname(team.remote)
    const pushed = join(folder, 'pushed', 'remote.git')
    git(folder, 'clone', '--quiet', '--bare', team.remote, pushed)
    setUp(team, {
      [`url.${folder}/.insteadOf`]: 'hub:',
      [`url.${dirname(pushed)}/.pushInsteadOf`]: 'hub:',
    })
    clone.git('remote', 'set-url', 'origin', 'hub:remote.git')
    await clone.run(createEntity, { type: 'note', title: 'a note' })
    await clone.sync()
    expect(git(pushed, 'for-each-ref', 'refs/waymark')).not.toBe('')
    expect(git(team.remote, 'for-each-ref', 'refs/waymark')).toBe('')
    // Set up for pushing alone, an address is not replaced by the rule for pushes.
    clone.git('remote', 'set-url', '--push', 'origin', 'hub:remote.git')
    await clone.sync()
    expect(git(team.remote, 'for-each-ref', 'refs/waymark')).not.toBe('')
  })

  it('at every address that is set up for pushing', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const second = join(dirname(team.remote), 'second.git')
    git(clone.directory, 'init', '--quiet', '--bare', second)
    for (const url of [team.remote, second])
      clone.git('remote', 'set-url', '--add', '--push', 'origin', url)
    await send(team, clone)
    const log = git(team.remote, 'rev-parse', 'refs/waymark/log')
    expect(git(second, 'rev-parse', 'refs/waymark/log')).toBe(log)
  })

  it('with settings of one’s own that hold for this folder only', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const ssh = writeSsh(team, 'work-ssh')
    const own = setUp(team, { [`includeIf.gitdir:${clone.directory}/.path`]: 'work.gitconfig' })
    git(
      clone.directory,
      'config',
      '--file',
      join(dirname(own), 'work.gitconfig'),
      'core.sshCommand',
      ssh,
    )
    clone.git('remote', 'set-url', 'origin', `ssh://host.invalid${team.remote}`)
    await send(team, clone)
  })

  it('with programs that one’s own settings name for a remote of this name', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const program = join(dirname(team.remote), 'my-receive-pack')
    writeProgram(program, [`echo ran >> '${program}.calls'`, 'exec git-receive-pack "$@"'])
    setUp(team, { 'remote.origin.receivepack': program })
    await send(team, clone)
    expect(readFileSync(`${program}.calls`, 'utf8')).toContain('ran')
  })

  it('from a linked worktree, by a path that is relative to it', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const worktree = join(clone.directory, '..', 'deep', 'w')
    clone.git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '--allow-empty', '-m', 'one')
    clone.git('worktree', 'add', '--quiet', '--detach', worktree)
    clone.git('remote', 'set-url', 'origin', '../../remote.git')
    await using linked = await openClone(worktree, 'w')
    await send(team, linked)
  })
})
