import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Context } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import type { Operation } from '../../src/core/operation.ts'
import { exportBackup, importBackup } from '../../src/backup/operations.ts'
import { rebuildCache } from '../../src/project/cache.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { runSync } from '../../src/sync/operations.ts'
import { createTeam } from './clones.ts'

interface Told {
  readonly done: number
  readonly total: number
  readonly message: string
}

test('long work says how far it has come, in numbers that never fall', async () => {
  await using team = createTeam()
  const ada = await team.clone('ada')
  for (let n = 0; n < 5; n++) await ada.run(createEntity, { type: 'note', title: `note ${n}` })
  const bob = await team.clone('bob')
  const file = join(ada.directory, 'backup.jsonl')
  const inputs: readonly (readonly [Context, Operation, object, readonly string[]])[] = [
    [ada.context, runSync, {}, ['fetching', 'gathering changes: 100 %', 'writing the log: 100 %']],
    [bob.context, runSync, {}, ['fetching', 'taking in what others did: 100 %']],
    [ada.context, exportBackup, { path: file }, ['writing: 100 %', 'writing the past: 100 %']],
    [ada.context, importBackup, { path: file }, ['taking in: 100 %']],
    [ada.context, rebuildCache, {}, ['indexing entities: 100 %', 'embedding texts: 100 %']],
    [ada.context, checkStore, {}, ['checking entities: 100 %', 'checking the log: 100 %']],
  ]
  for (const [context, operation, input, expected] of inputs) {
    const told: Told[] = []
    await execute(listening(context, told), operation, input)
    expect(told.map(({ message }) => message)).toEqual(expect.arrayContaining([...expected]))
    expect(told.map(({ done }) => done)).toEqual(
      told.map(({ done }) => done).toSorted((a, b) => a - b),
    )
    for (const { done, total } of told) expect(done).toBeLessThanOrEqual(total)
  }
})

function listening(context: Context, told: Told[]): Context {
  return { ...context, progress: (done, total, message) => told.push({ done, total, message }) }
}
