import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { runSync } from '../../src/sync/operations.ts'
import { unattended } from '../../src/sync/remote/unattended.ts'
import { claimTask, releaseTask, takeTask } from '../../src/task/lease/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { startHttpRemote } from '../git/untrusted/http-remote.ts'
import { type Clone, createTeam, git, type Team } from './clones.ts'

afterEach(() => vi.unstubAllEnvs())

const HELD_ELSEWHERE = { details: { reason: 'held_elsewhere' } }

interface Pair {
  /** Reaches the remote in the way that is tried. */
  readonly far: Clone
  /** Has it in a folder. */
  readonly near: Clone
  readonly id: string
}

async function withTask(team: Team): Promise<Pair> {
  const far = await team.clone('far', { coordination: 'auto' })
  const near = await team.clone('near', { coordination: 'auto' })
  const { task } = await near.run(createTask, { title: 'Write the parser' })
  await near.sync()
  return { far, near, id: task.id }
}

/** Each of two clones is refused what the other holds. */
async function takeTurns({ far, near, id }: Pair): Promise<void> {
  await far.sync()
  await far.run(claimTask, { id })
  await expect(near.run(claimTask, { id })).rejects.toMatchObject(HELD_ELSEWHERE)
  await far.run(releaseTask, { id })
  await near.run(claimTask, { id })
  await expect(far.run(claimTask, { id })).rejects.toMatchObject(HELD_ELSEWHERE)
}

function useOwnSettings({ remote }: Team, settings: Readonly<Record<string, string>>): void {
  const file = join(dirname(remote), 'own.gitconfig')
  for (const [key, value] of Object.entries(settings))
    git(dirname(remote), 'config', '--file', file, '--add', key, value)
  vi.stubEnv('GIT_CONFIG_GLOBAL', file)
}

function writeProgram(path: string, ...lines: readonly string[]): string {
  writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\n`)
  chmodSync(path, 0o755)
  return path
}

test('claims are granted over ssh, by the program of one’s own settings and without its questions [claim-ssh]', async () => {
  await using team = createTeam()
  const pair = await withTask(team)
  const ssh = writeProgram(
    join(dirname(team.remote), 'my-ssh'),
    `echo "$SSH_ASKPASS $SSH_ASKPASS_REQUIRE $*" >> '${team.remote}.calls'`,
    'for last; do :; done',
    'exec sh -c "$last"',
  )
  useOwnSettings(team, { 'core.sshCommand': ssh })
  pair.far.git('remote', 'set-url', 'origin', `ssh://host.invalid${team.remote}`)
  await takeTurns(pair)
  // No window and no terminal is asked for a password, neither by a claim nor by a sync in the background.
  const calls = (): string => readFileSync(`${team.remote}.calls`, 'utf8')
  expect(calls()).toContain('false force host.invalid')
  const asked = calls().length
  const { context } = pair.far
  const code = context.code && unattended(context.code)
  await execute({ ...context, ...(code && { code }) }, runSync, {})
  const lines = calls().slice(asked).trim().split('\n')
  expect(lines.filter((line) => !line.startsWith('false force'))).toEqual([])
})

test('claims are granted over https, with one’s own CA and credential helper; without it they fail at once [claim-https]', async () => {
  await using team = createTeam()
  git(team.remote, 'config', 'http.receivepack', 'true')
  const pair = await withTask(team)
  const [key, cert] = ['key', 'cert'].map((name) => `${team.remote}.${name}.pem`) as [
    string,
    string,
  ]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const files = ['-keyout', key, '-out', cert, '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...kind, ...files, ...subject], { stdio: 'pipe' })
  const tls = { key: readFileSync(key), cert: readFileSync(cert) }
  const ada = { user: 'ada', password: 'secret' }
  await using server = await startHttpRemote(dirname(team.remote), { ...ada, tls })
  // A variable would be stronger than the setting.
  vi.stubEnv('GIT_SSL_CAINFO', undefined)
  useOwnSettings(team, { 'http.sslCAInfo': cert })
  pair.far.git('remote', 'set-url', 'origin', `${server.address}/${basename(team.remote)}`)
  await pair.far.run(createTask, { title: 'Write the lexer' })
  const unknown = execute({ ...pair.far.context, coordination: 'git' }, takeTask, {})
  await expect(unknown).rejects.toMatchObject({ details: { reason: 'remote_unreachable' } })
  const helper = writeProgram(
    join(dirname(team.remote), 'helper'),
    'echo username=ada; echo password=secret',
  )
  useOwnSettings(team, { 'credential.helper': `!${helper}` })
  await takeTurns(pair)
  expect(server.credentials).toContain('ada:secret')
})

test('of two remotes the one called origin grants claims; a sync with the other changes none of them', async () => {
  await using team = createTeam()
  const { far, near, id } = await withTask(team)
  const backup = join(dirname(team.remote), 'backup.git')
  git(dirname(team.remote), 'init', '--quiet', '--bare', backup)
  far.git('remote', 'add', 'backup', backup)
  await far.sync()
  await far.run(claimTask, { id })
  expect((await far.sync({ remote: 'backup' })).claims).toEqual({ lost: [], reopened: [] })
  expect(git(backup, 'for-each-ref', '--format=%(refname)')).toBe('refs/waymark/log\n')
  await expect(near.run(claimTask, { id })).rejects.toMatchObject(HELD_ELSEWHERE)
})

test('a fork grants the claims of its own clones, and nothing is pushed to the repository it was forked from [claim-fork]', async () => {
  await using upstream = createTeam()
  const { near, id } = await withTask(upstream)
  await using fork = createTeam()
  const mine = await fork.clone('mine', { coordination: 'auto' })
  const second = await fork.clone('second', { coordination: 'auto' })
  useOwnSettings(fork, { 'waymark.sync.readonly': 'upstream' })
  mine.git('remote', 'add', 'upstream', upstream.remote)
  await mine.sync({ remote: 'upstream', join: true })
  const before = git(upstream.remote, 'for-each-ref')
  await mine.sync()
  await second.sync()
  await mine.run(claimTask, { id })
  await expect(second.run(claimTask, { id })).rejects.toMatchObject(HELD_ELSEWHERE)
  await mine.sync({ remote: 'upstream' })
  expect(git(upstream.remote, 'for-each-ref')).toBe(before)
  await near.run(claimTask, { id })
})
