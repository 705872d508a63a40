import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTestRepository, type OwnedRepository, useRepository } from './repository.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

/** A clone that gets the contents of files only when somebody wants them. */
function clonePartially(test: OwnedRepository, name: string) {
  const directory = join(test.directory, '..', name)
  const from = `file://${test.directory}`
  test.git('config', 'uploadpack.allowFilter', 'true')
  test.git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  const options = ['--quiet', '--no-checkout', '--filter=blob:none']
  execFileSync('git', ['clone', ...options, from, directory])
  return useRepository(directory)
}

describe('a partial clone', () => {
  it('gets what it lacks from its remote', async () => {
    await using test = createTestRepository()
    test.commit('one', { 'a.txt': 'far away\n' })
    await using clone = clonePartially(test, 'partial')
    const found = await clone.repository.objects.read('HEAD:a.txt')
    expect(found?.content.toString()).toBe('far away\n')
  })

  it.each(['remote.origin.uploadpack', 'Remote.origin.UploadPack'])(
    'whose settings name a program as %s runs nothing when it is read',
    async (key) => {
      await using test = createTestRepository()
      test.commit('one', { 'a.txt': 'far away\n' })
      await using clone = clonePartially(test, 'partial')
      const canary = join(clone.directory, '.git', 'canary')
      const program = join(clone.directory, '.git', 'program')
      writeFileSync(program, `#!/bin/sh\necho "$*" >> '${canary}'\nexec git-upload-pack "$@"\n`)
      chmodSync(program, 0o755)
      clone.git('config', key, program)
      const { repository } = clone
      const reading = [
        repository.objects.read('HEAD:a.txt'),
        repository.ask(['log', '--patch', 'HEAD']),
      ]
      for (const outcome of await Promise.allSettled(reading)) {
        expect(outcome).toMatchObject({
          status: 'rejected',
          reason: { code: 'forbidden', details: { reason: 'untrusted_setting' } },
        })
      }
      expect(existsSync(canary)).toBe(false)
    },
  )

  it('is read as soon as its owner trusts it', async () => {
    await using test = createTestRepository()
    test.commit('one', { 'a.txt': 'far away\n', 'b.txt': 'farther away\n' })
    await using clone = clonePartially(test, 'partial')
    clone.git('config', 'core.sshCommand', 'program')
    const { repository } = clone
    await expect(repository.objects.read('HEAD:a.txt')).rejects.toMatchObject({ code: 'forbidden' })
    await expect(repository.ask(['show', 'HEAD:b.txt'])).rejects.toMatchObject({
      code: 'forbidden',
    })
    const own = join(clone.directory, '..', 'own.gitconfig')
    clone.git('config', '--file', own, 'waymark.trustedRepository', clone.directory)
    vi.stubEnv('GIT_CONFIG_GLOBAL', own)
    const found = await repository.objects.read('HEAD:a.txt')
    expect(found?.content.toString()).toBe('far away\n')
    expect(await repository.ask(['show', 'HEAD:b.txt'])).toBe('farther away\n')
  })

  it('is not asked for its settings again by each of many questions, but soon enough', async () => {
    await using test = createTestRepository()
    test.commit('one', { 'a.txt': 'far away\n' })
    await using clone = clonePartially(test, 'partial')
    const { repository } = clone
    const trace = join(clone.directory, '..', 'trace')
    vi.useFakeTimers({ toFake: ['performance'] })
    vi.stubEnv('GIT_TRACE', trace)
    for (let times = 0; times < 5; times += 1) await repository.ask(['rev-parse', 'HEAD'])
    const asked = readFileSync(trace, 'utf8').match(/built-in: git config --list/g)
    expect(asked).toHaveLength(1)
    vi.unstubAllEnvs()

    clone.git('config', 'core.sshCommand', 'program')
    vi.advanceTimersByTime(1_000)
    await expect(repository.ask(['show', 'HEAD:a.txt'])).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})
