import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { trustCommand } from '../../src/git/config/user-settings.ts'
import { openRepository } from '../../src/git/repository.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { type Clone, createTeam, git } from './clones.ts'

afterEach(() => vi.unstubAllEnvs())

interface Planted {
  /** There once one of the programs has run. */
  readonly canary: string
  readonly program: string
}

/** A program within the repository that leaves a trace and fails. */
function plant({ directory }: Clone): Planted {
  const canary = join(directory, '.git', 'canary')
  const program = join(directory, '.git', 'program')
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${canary}'\nexit 1\n`)
  chmodSync(program, 0o755)
  return { canary, program }
}

/** Settings of the person, which come from outside of the repository. */
function useOwnSettings({ directory }: Clone): string {
  const file = join(directory, '..', 'own.gitconfig')
  writeFileSync(file, '')
  vi.stubEnv('GIT_CONFIG_GLOBAL', file)
  return file
}

type Plant = (clone: Clone, program: string) => void

const set =
  (key: string): Plant =>
  (clone, program) =>
    clone.git('config', key, program)

const PLANTS: readonly (readonly [string, Plant])[] = [
  ['remote.origin.uploadpack', set('remote.origin.uploadpack')],
  ['remote.origin.receivepack', set('remote.origin.receivepack')],
  ['remote.origin.uploadpack', set('REMOTE.origin.uploadPACK')],
  ['core.sshcommand', set('core.sshCommand')],
  ['core.sshcommand', set('CORE.SSHCOMMAND')],
  ['core.gitproxy', set('core.gitProxy')],
  ['core.askpass', set('core.askPass')],
  ['credential.helper', set('credential.helper')],
  ['credential.https://example.com.helper', set('credential.https://example.com.helper')],
  ['remote.origin.vcs', (clone) => clone.git('config', 'remote.origin.vcs', 'ext')],
  [
    'include.path',
    (clone, program) => {
      const file = join(clone.directory, '.git', 'more')
      git(clone.directory, 'config', '--file', file, 'remote.origin.uploadpack', program)
      clone.git('config', 'include.path', 'more')
    },
  ],
  [
    'includeif.gitdir:**.path',
    (clone, program) => {
      const file = join(clone.directory, '.git', 'more')
      git(clone.directory, 'config', '--file', file, 'remote.origin.uploadpack', program)
      clone.git('config', 'includeIf.gitdir:**.path', 'more')
    },
  ],
  [
    'remote.origin.uploadpack',
    (clone, program) => {
      clone.git('config', 'extensions.worktreeConfig', 'true')
      clone.git('config', '--worktree', 'remote.origin.uploadpack', program)
    },
  ],
]

describe('a repository that wants to run something when it is synchronised', () => {
  it('runs none of its programs, and the settings that were ignored are named with both remedies [untrusted-remote-runs-none]', async () => {
    await using team = createTeam()
    for (const [at, [key, plantIn]] of PLANTS.entries()) {
      const clone = await team.clone(`c${at}`)
      await clone.run(createEntity, { type: 'note', title: `note ${at}` })
      const { canary, program } = plant(clone)
      plantIn(clone, program)
      const { sent, notice } = await clone.sync()
      expect(sent.pushed, key).toBe(true)
      expect(notice, key).toContain(
        `own Git configuration: ${key}; set them with git config --global,`,
      )
      expect(notice, key).toContain(`waymark.trustedRepository "${clone.directory}"`)
      expect(existsSync(canary), key).toBe(false)
      clone.git('remote', 'set-url', 'origin', '/nowhere')
      await expect(clone.sync({ dry_run: true }), key).rejects.toMatchObject({
        code: 'storage_unavailable',
      })
      clone.git('remote', 'set-url', 'origin', 'ssh://x.invalid/y')
      await expect(clone.sync(), key).rejects.toMatchObject({
        code: 'storage_unavailable',
        message: expect.stringContaining(notice ?? '') as string,
      })
      expect(existsSync(canary), key).toBe(false)
    }
  })

  it('runs them when its owner trusts it in settings of their own, and only then', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const { canary, program } = plant(clone)
    clone.git('config', 'remote.origin.uploadpack', program)
    const own = useOwnSettings(clone)
    clone.git('config', 'waymark.trustedRepository', clone.directory)
    git(clone.directory, 'config', '--file', own, 'waymark.trustedRepository', team.remote)
    expect(await clone.sync()).toHaveProperty('notice')
    expect(existsSync(canary)).toBe(false)
    const trust = ['--add', 'waymark.trustedRepository', clone.directory]
    git(clone.directory, 'config', '--file', own, ...trust)
    await expect(clone.sync()).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(readFileSync(canary, 'utf8')).toContain('program')
    clone.git('config', '--unset', 'remote.origin.uploadpack')
    expect(await clone.sync()).not.toHaveProperty('notice')
  })

  it('names the folder by which it is trusted, also when its Git folder is elsewhere', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const elsewhere = await team.clone('d')
    const worktree = join(clone.directory, '..', 'w')
    clone.git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '--allow-empty', '-m', 'one')
    clone.git('worktree', 'add', '--quiet', '--detach', worktree)
    elsewhere.git('init', '--quiet', '--separate-git-dir', join(elsewhere.directory, '..', 'd.git'))
    const own = useOwnSettings(clone)
    for (const directory of [worktree, elsewhere.directory]) {
      await using repository = openRepository(directory, join(directory, '..', 'state'))
      git(directory, 'config', 'core.sshCommand', 'program')
      const { hint = '' } = (await repository.remotes()).access('origin')
      const trusted = /--global --add waymark.trustedRepository "(.*)"$/.exec(hint)?.[1] ?? ''
      git(directory, 'config', '--file', own, '--add', 'waymark.trustedRepository', trusted)
      const access = (await repository.remotes()).access('origin')
      expect([access.name, access.hint]).toEqual(['origin', undefined])
      expect(access.fetch().isTrusted).toBe(true)
    }
    const odd = { root: '/x/$(touch y)', commonDir: '/x/.git/modules/y' }
    expect(trustCommand(odd)).not.toContain('touch')
  })

  it('is described without the credentials that stand in its addresses', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    clone.git('config', 'url.https://ada:secret@example.invalid/.insteadOf', 'hub:')
    clone.git('remote', 'set-url', 'origin', 'https://ada:secret@example.invalid/x.git')
    const message = await clone.sync().then(() => '', String)
    expect(message).toContain('url.https://***@example.invalid/.insteadof')
    expect(message).not.toContain('secret')
  })

  it('uses the programs of its owner’s own settings', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const { canary, program } = plant(clone)
    const own = useOwnSettings(clone)
    git(clone.directory, 'config', '--file', own, 'core.sshCommand', program)
    clone.git('config', 'credential.helper', '')
    clone.git('remote', 'set-url', 'origin', 'ssh://x.invalid/y')
    await expect(clone.sync()).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(readFileSync(canary, 'utf8')).toContain('x.invalid')
  })

  it('is synchronised with the address that its owner’s own settings lead to, and with none beyond it', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const [folder, name] = [realpathSync(dirname(team.remote)), basename(team.remote)]
    const elsewhere = join(folder, 'elsewhere', name)
    git(clone.directory, 'init', '--quiet', '--bare', elsewhere)
    const own = useOwnSettings(clone)
    const rewrite = (from: string, to: string) =>
      git(clone.directory, 'config', '--file', own, `url.${to}.insteadOf`, from)
    rewrite('hub:', `${folder}/`)
    rewrite(`${folder}/`, `${folder}/elsewhere/`)
    clone.git('remote', 'set-url', 'origin', `hub:${name}`)
    await clone.run(createEntity, { type: 'note', title: 'a note' })
    expect(await clone.sync()).toMatchObject({ sent: { pushed: true } })
    const logOf = (repository: string) => git(repository, 'for-each-ref', 'refs/waymark/log')
    expect(logOf(elsewhere)).toBe('')
    expect(logOf(team.remote)).not.toBe('')
    rewrite(join(folder, name), `${folder}/elsewhere/${name}`)
    await expect(clone.sync()).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'rewritten_twice' },
    })
  })

  it('does not push into itself, where the hooks would be its own', async () => {
    await using team = createTeam()
    const clone = await team.clone('c')
    const { canary, program } = plant(clone)
    const inner = join(clone.directory, '.git', 'inner')
    git(clone.directory, 'init', '--quiet', '--bare', inner)
    mkdirSync(join(inner, 'hooks'), { recursive: true })
    writeFileSync(join(inner, 'hooks', 'post-receive'), readFileSync(program))
    chmodSync(join(inner, 'hooks', 'post-receive'), 0o755)
    for (const url of [inner, '.git/inner', `file://${inner}`, './.git/../.git/inner']) {
      clone.git('remote', 'set-url', 'origin', url)
      await expect(clone.sync(), url).rejects.toMatchObject({
        code: 'forbidden',
        details: { reason: 'untrusted_setting', key: 'remote.origin.url' },
      })
    }
    clone.git('remote', 'set-url', 'origin', team.remote)
    clone.git('config', 'remote.origin.pushurl', inner)
    await clone.run(createEntity, { type: 'note', title: 'a note' })
    await expect(clone.sync()).rejects.toMatchObject({ code: 'forbidden' })
    clone.git('config', '--unset', 'remote.origin.pushurl')
    clone.git('config', `url.${inner}.insteadOf`, team.remote)
    expect(await clone.sync()).toMatchObject({
      sent: { pushed: true },
      notice: expect.stringContaining(`url.${inner}.insteadof`.slice(0, 100)) as string,
    })
    expect(existsSync(canary)).toBe(false)
  })
})
