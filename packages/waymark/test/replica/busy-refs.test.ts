import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createEntity } from '../../src/operations/entities.ts'
import { LOG_REF } from '../../src/replica/log-ref.ts'
import { createTeam } from './clones.ts'

const NOTE = { type: 'note', title: 'a note' } as const

function lock(gitDir: string): string {
  const path = join(gitDir, `${LOG_REF}.lock`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '')
  return path
}

test(
  'a lock that was left beside the log is named, with and without a remote',
  { timeout: 60_000 },
  async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    await ada.run(createEntity, NOTE)
    const path = lock(join(ada.directory, '.git'))
    const locked = {
      code: 'busy',
      message: `${LOG_REF} is locked by another git process; if none runs, remove .git/${LOG_REF}.lock`,
    }
    await expect(ada.sync()).rejects.toMatchObject(locked)
    ada.git('remote', 'remove', 'origin')
    await expect(ada.sync()).rejects.toMatchObject(locked)
    rmSync(path)
    expect(await ada.sync()).toMatchObject({ sent: { entities: 1 } })
  },
)

test(
  'a lock that was left at the remote is not taken for others who push',
  { timeout: 60_000 },
  async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    await ada.run(createEntity, NOTE)
    const path = lock(team.remote)
    await expect(ada.sync()).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringMatching(
        /^origin does not let its refs be moved.*refs\/waymark\/log\.lock/,
      ),
    })
    rmSync(path)
    expect(await ada.sync()).toMatchObject({ sent: { pushed: true } })
  },
)
