import { expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { exportBackup } from '../../src/backup/operations.ts'
import { createSnapshot } from '../../src/snapshot/operations.ts'
import { importTasks } from '../../src/task/import/operations.ts'
import { setup } from '../setup.ts'

it.each([
  ['too long', 'x'.repeat(5000)],
  ['with a part that is too long', `${'9'.repeat(400)}/x`],
  ['with a zero byte', 'a\0b'],
])('a path %s is refused as one, and nothing fails that nobody expected', async (_, path) => {
  await using project = await setup()
  const { context } = project
  const calls = [
    () => execute(context, exportBackup, { path }),
    () => execute(context, createSnapshot, { output_dir: path }),
    () => execute(context, importTasks, { path }),
  ]
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'invalid_input' })
})
