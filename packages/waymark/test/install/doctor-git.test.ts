import { execFileSync } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { checkGitSettings } from '../../src/health/git-settings-check.ts'
import { checkGit } from '../../src/health/local-checks.ts'
import { createFolder, createRepository } from '../files/everywhere.ts'

afterEach(() => vi.unstubAllEnvs())

it('a Git that takes no settings from the environment is too old', () => {
  expect(checkGit('2.30.2')).toMatchObject({ status: 'failed', fix: 'install Git 2.31 or newer' })
  for (const version of ['2.31.0', '2.39.5 (Apple Git-154)', '2.54.0.windows.1', '3.0'])
    expect(checkGit(version)).toEqual({ status: 'ok', message: version })
})

it('settings of the repository for its remotes that are ignored are named with both remedies', async () => {
  using folder = createFolder()
  const root = createRepository(join(folder.path, 'here'))
  const stateDir = join(root, '.git', 'waymark')
  const look = () => checkGitSettings({ root, stateDir })
  expect(await look()).toEqual([])
  const set = (key: string, value: string) =>
    execFileSync('git', ['-C', root, 'config', key, value])
  set('core.sshCommand', 'my-ssh')
  set('credential.username', 'ada')
  set('alias.x', 'log')
  set('remote.origin.proxy', 'http://127.0.0.1:1')
  expect(await look()).toEqual([
    {
      name: 'git settings',
      status: 'warning',
      message:
        "ignored in the repository's own Git configuration: core.sshcommand, remote.origin.proxy",
      fix: `set them with git config --global, or trust the repository: git config --global --add waymark.trustedRepository "${root}"`,
    },
  ])
  const own = join(folder.path, 'own.gitconfig')
  writeFileSync(own, `[waymark]\n\ttrustedRepository = ${root}\n`)
  vi.stubEnv('GIT_CONFIG_GLOBAL', own)
  expect(await look()).toMatchObject([
    { status: 'ok', message: expect.stringContaining('trusted by') },
  ])
  appendFileSync(join(root, '.git', 'config'), '[core\n')
  expect(await look()).toMatchObject([
    { status: 'failed', message: expect.stringContaining('.git/config cannot be parsed: line') },
  ])
})
