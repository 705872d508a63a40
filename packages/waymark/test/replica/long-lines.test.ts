import { expect, test } from 'vitest'
import { createEntity, updateEntity } from '../../src/entity/operations.ts'
import { showHistory } from '../../src/sync/history/operations.ts'
import { parseLine } from '../../src/sync/log/log-line.ts'
import { toLines } from '../../src/sync/log/outgoing.ts'
import { createReplica } from './replicas.ts'

test('what would make a line that nobody reads is written in several, and comes over in any order', async () => {
  await using ada = await createReplica('ada')
  const { id } = await ada.run(createEntity, { type: 'note', title: 'a note', content: 'x' })
  for (let n = 1; n <= 20; n++) {
    await ada.run(updateEntity, { id, content: `${n} ${'x'.repeat(200)}` })
  }
  const [line] = await ada.lines()
  if (line === undefined || !('update' in line)) return expect.unreachable()
  const lines = toLines(id, line.update, 3000)
  expect(lines.length).toBeGreaterThan(3)
  for (const text of lines) expect(text.length).toBeLessThanOrEqual(3000)
  const parsed = lines.map((text) => parseLine(text) ?? expect.unreachable())
  await using together = await createReplica('together')
  await together.takeIn([...parsed.slice(2), ...parsed.slice(0, 2)])
  await using apart = await createReplica('apart')
  for (const one of parsed.toReversed()) await apart.takeIn([one])
  for (const other of [together, apart]) {
    expect(await other.snapshot()).toEqual(await ada.snapshot())
    expect(await other.store.replica.countStrays()).toBe(0)
    expect(await other.run(showHistory, { id })).toMatchObject({ total: 21 })
  }
})
