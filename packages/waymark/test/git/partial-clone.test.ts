import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTestRepository, type OwnedRepository, useRepository } from './repository.ts'
import { plantProgram, plantRepository, UNDOTTED } from './untrusted/planted.ts'

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

  it('gets it from the address that its owner’s own settings lead to, and from none beyond it', async () => {
    await using test = createTestRepository()
    test.commit('one', { 'a.txt': 'far away\n', 'b.txt': 'farther away\n' })
    await using clone = clonePartially(test, 'partial')
    const [folder, name] = [`${realpathSync(dirname(test.directory))}/`, basename(test.directory)]
    const own = join(clone.directory, '..', 'own.gitconfig')
    clone.git('config', '--file', own, `url.${folder}.insteadOf`, 'hub:')
    clone.git('config', '--file', own, `url.${folder}nowhere/.insteadOf`, folder)
    clone.git('remote', 'set-url', 'origin', `hub:${name}`)
    vi.stubEnv('GIT_CONFIG_GLOBAL', own)
    const { repository } = clone
    expect((await repository.objects.read('HEAD:a.txt'))?.content.toString()).toBe('far away\n')
    expect(await repository.ask(['show', 'HEAD:b.txt'])).toBe('farther away\n')
  })

  it.each([
    ['remote "origin"', 'remote.origin.uploadpack'],
    ['Remote "origin"', 'Remote.origin.UploadPack'],
    ...UNDOTTED.map((dot) => [`remote "up${dot}stream"`, JSON.stringify(dot)]),
  ])(
    'whose settings name a program in [%s] runs nothing when it is read [partial-clone-settings-name]',
    async (section) => {
      await using test = createTestRepository()
      test.commit('one', { 'a.txt': 'far away\n', 'b.txt': 'farther away\n' })
      await using clone = clonePartially(test, 'partial')
      const gitDir = join(clone.directory, '.git')
      const { program, calls } = plantProgram(gitDir)
      const url = clone.git('config', 'remote.origin.url').trim()
      clone.git('remote', 'remove', 'origin')
      const lines = [`url = ${url}`, 'promisor = true', `uploadPack = ${program}`]
      appendFileSync(join(gitDir, 'config'), `[${section}]\n${lines.join('\n')}\n`)
      const { repository } = clone
      expect((await repository.objects.read('HEAD:a.txt'))?.content.toString()).toBe('far away\n')
      expect(await repository.ask(['show', 'HEAD:b.txt'])).toBe('farther away\n')
      expect(calls()).toBe('')
    },
  )

  it('whose remote lies in itself is told so when something is missing, and runs nothing', async () => {
    await using test = createTestRepository()
    test.commit('one', { 'a.txt': 'far away\n' })
    await using clone = clonePartially(test, 'partial')
    const { program: inner, calls } = plantRepository(join(clone.directory, '.git'))
    clone.git('remote', 'set-url', 'origin', inner)
    const { repository } = clone
    const reading = [repository.objects.read('HEAD:a.txt'), repository.ask(['show', 'HEAD:a.txt'])]
    for (const outcome of await Promise.allSettled(reading)) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: 'forbidden', details: { key: 'remote.origin.url' } },
      })
    }
    expect((await repository.objects.info('HEAD'))?.type).toBe('commit')
    expect(calls()).toBe('')
  })

  it('is read as soon as its owner trusts it', async () => {
    await using test = createTestRepository()
    test.commit('one', { 'a.txt': 'far away\n', 'b.txt': 'farther away\n' })
    await using clone = clonePartially(test, 'partial')
    const url = clone.git('config', 'remote.origin.url').trim()
    clone.git('remote', 'set-url', 'origin', 'ssh://x.invalid/y')
    clone.git('config', `url.${url}.insteadOf`, 'ssh://x.invalid/y')
    const { repository } = clone
    await expect(repository.objects.read('HEAD:a.txt')).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining('waymark.trustedRepository') as string,
    })
    await expect(repository.ask(['show', 'HEAD:b.txt'])).rejects.toMatchObject({
      message: expect.stringContaining('.insteadof; set them with git config --global') as string,
    })
    const own = join(clone.directory, '..', 'own.gitconfig')
    clone.git('config', '--file', own, 'waymark.trustedRepository', clone.directory)
    vi.stubEnv('GIT_CONFIG_GLOBAL', own)
    // The fake clock begins at zero; the real one may have come far.
    const later = performance.now() + 1_000_000
    vi.useFakeTimers({ toFake: ['performance'] }).advanceTimersByTime(later)
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
    vi.stubEnv('GIT_TRACE', trace)
    for (let times = 0; times < 5; times += 1) await repository.ask(['rev-parse', 'HEAD'])
    const asked = readFileSync(trace, 'utf8').match(/built-in: git config --list/g)
    expect(asked).toHaveLength(1)
    vi.unstubAllEnvs()

    const { program: inner } = plantRepository(join(clone.directory, '.git'))
    clone.git('remote', 'set-url', 'origin', inner)
    await expect(repository.ask(['show', 'HEAD:a.txt'])).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})
