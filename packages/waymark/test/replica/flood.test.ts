import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listEntities } from '../../src/entity/operations.ts'
import { toSegments } from '../../src/sync/log/segment.ts'
import { createTeam } from './clones.ts'
import { forgedId, forgeLine, insertText, noteOps, pushSegments } from './hostile-log.ts'
import { createVictims, expectAgreed } from './victims.ts'

test('hostile lines in bulk keep within bounds of memory and of the write-ahead log', async () => {
  await using team = createTeam()
  const [ada, bob] = await createVictims(team)
  // More than the write-ahead log may hold.
  const lines = Array.from({ length: 5 }, (_, n) =>
    forgeLine(forgedId(100 + n), [
      ...noteOps({ title: `flood ${n}` }),
      insertText('content', 'aaaa '.repeat((15 << 20) / 5)),
    ]),
  )
  pushSegments(team.remote, [...toSegments(lines)])
  const before = process.cpuUsage()
  await ada.sync()
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(30_000)
  const wal = join(ada.directory, '.git', 'waymark', 'waymark.db-wal')
  expect(statSync(wal, { throwIfNoEntry: false })?.size ?? 0).toBeLessThan(64 << 20)
  expect((await ada.run(listEntities, {})).entities.map(({ title }) => title)).toEqual(['honest'])
  await expectAgreed(ada, bob)
})
