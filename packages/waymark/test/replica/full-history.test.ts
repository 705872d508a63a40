import { expect, test } from 'vitest'
import { getEntity } from '../../src/entity/operations.ts'
import { DOCUMENT_LIMITS, LINE_LIMITS } from '../../src/sync/log/limits.ts'
import { type LogLine, parseLine } from '../../src/sync/log/log-line.ts'
import { forgeChain, forgedId, forgeLine, noteOps } from './hostile-log.ts'
import { createReplica } from './replicas.ts'

const ID = forgedId(1)
const line = (text: string): LogLine => parseLine(text) ?? expect.unreachable()

test('a history of as many changes as the engine can take gets no more of them', async () => {
  await using ada = await createReplica('ada')
  await ada.takeIn([line(forgeLine(ID, noteOps(), { peer: '100' }))])
  let count = 1
  while (count < DOCUMENT_LIMITS.changes) {
    const more = Math.min(LINE_LIMITS.changes, DOCUMENT_LIMITS.changes - count)
    expect((await ada.takeIn([line(forgeChain(ID, count, more))])).refused).toEqual([])
    count += more
  }
  const { refused } = await ada.takeIn([line(forgeChain(ID, count, 1))])
  expect(refused).toMatchObject([{ reason: 'document_full' }])
  expect((await ada.run(getEntity, { id: ID })).title).toBe(`title ${count - 1}`)
})
