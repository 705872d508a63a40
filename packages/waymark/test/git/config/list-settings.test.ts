import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { placeOf, readPlace } from '../../../src/git/config/git-place.ts'
import { listSettings } from '../../../src/git/config/list-settings.ts'
import { parseUserSettings } from '../../../src/git/config/user-settings.ts'
import type { GitPlace } from '../../../src/git/run.ts'
import { createRepository } from '../../setup.ts'

/** A repository, and a file with the settings of its user. */
function setUp() {
  const repository = createRepository()
  const options = readPlace(repository.directory)
  if (options === undefined) throw new Error('no repository')
  const place = placeOf(options)
  const file = join(repository.directory, 'user-settings')
  vi.stubEnv('GIT_CONFIG_GLOBAL', file)
  const write = (text: string) => writeFileSync(file, text)
  return { ...repository, place, file, write }
}

async function nameAt(place: GitPlace): Promise<string | undefined> {
  const settings = parseUserSettings((await listSettings(place)).stdout)
  return settings.findLast(({ key }) => key === 'user.name')?.value
}

afterEach(() => vi.unstubAllEnvs())

describe('the settings of a user', () => {
  it('are read once for one call', async () => {
    await using test = setUp()
    test.write('[user]\n\tname = Kim\n')
    expect(await nameAt(test.place)).toBe('Kim')
    expect(await listSettings(test.place)).toBe(await listSettings(test.place))
  })

  it('are in force as soon as they are changed, made or gone', async () => {
    await using test = setUp()
    expect(await nameAt(test.place)).toBeUndefined()
    for (const name of ['Kim', 'Lee']) {
      test.write(`[user]\n\tname = ${name}\n`)
      expect(await nameAt(test.place)).toBe(name)
    }
    rmSync(test.file)
    expect(await nameAt(test.place)).toBeUndefined()
  })

  it('follow the environment', async () => {
    await using test = setUp()
    test.write('[user]\n\tname = Kim\n')
    expect(await nameAt(test.place)).toBe('Kim')
    vi.stubEnv('GIT_CONFIG_COUNT', '1')
    vi.stubEnv('GIT_CONFIG_KEY_0', 'user.name')
    vi.stubEnv('GIT_CONFIG_VALUE_0', 'Lee')
    expect(await nameAt(test.place)).toBe('Lee')
    vi.stubEnv('GIT_CONFIG_VALUE_0', 'Max')
    expect(await nameAt(test.place)).toBe('Max')
  })

  it('are read again after git could not read them', async () => {
    await using test = setUp()
    test.write('[user')
    expect((await listSettings(test.place)).exitCode).not.toBe(0)
    expect(await listSettings(test.place)).not.toBe(await listSettings(test.place))
  })

  it('that a changed included file holds are in force a second later', async () => {
    await using test = setUp()
    const included = `${test.file}-included`
    writeFileSync(included, '[user]\n\tname = Kim\n')
    test.write(`[include]\n\tpath = ${included}\n`)
    expect(await nameAt(test.place)).toBe('Kim')
    writeFileSync(included, '[user]\n\tname = Lee\n')
    await expect.poll(() => nameAt(test.place)).toBe('Lee')
  })
})
