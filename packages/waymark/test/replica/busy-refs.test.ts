import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createEntity } from '../../src/entity/operations.ts'
import { LOG_REF } from '../../src/sync/log/log-ref.ts'
import { runClockFast } from '../fast-clock.ts'
import { type Clone, createTeam } from './clones.ts'

const NOTE = { type: 'note', title: 'a note' } as const

function lock(gitDir: string): string {
  const path = join(gitDir, `${LOG_REF}.lock`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '')
  return path
}

async function expectBusy(clone: Clone, expected: { readonly message: string }): Promise<void> {
  using _ = runClockFast()
  await expect(clone.sync()).rejects.toMatchObject({ code: 'busy', ...expected })
}

test('a lock that was left beside the log is named, with and without a remote', async () => {
  await using team = createTeam()
  const ada = await team.clone('ada')
  await ada.run(createEntity, NOTE)
  const path = lock(join(ada.directory, '.git'))
  const locked = {
    message: `${LOG_REF} is locked by another git process; if none runs, remove .git/${LOG_REF}.lock`,
  }
  await expectBusy(ada, locked)
  ada.git('remote', 'remove', 'origin')
  await expectBusy(ada, locked)
  rmSync(path)
  expect(await ada.sync()).toMatchObject({ sent: { entities: 1 } })
})

test('a lock that was left at the remote is not taken for others who push', async () => {
  await using team = createTeam()
  const ada = await team.clone('ada')
  await ada.run(createEntity, NOTE)
  const path = lock(team.remote)
  await expectBusy(ada, {
    message: expect.stringMatching(
      /^origin does not let its refs be moved.*refs\/waymark\/log\.lock/,
    ),
  })
  rmSync(path)
  expect(await ada.sync()).toMatchObject({ sent: { pushed: true } })
})
