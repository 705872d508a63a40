// Creates, and lets everybody wait while it hesitates between its last change and its commit.
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { createEntity } from '../../packages/waymark/src/entity/operations.ts'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import type { Store } from '../../packages/waymark/src/core/store/store.ts'
import { contextOf } from '../system/agent.ts'

export interface SlowAssignment {
  readonly directory: string
  readonly name: string
  readonly writes: number
}

const HESITATION_MS = 20

const { directory, name, writes } = JSON.parse(process.argv[2] ?? '') as SlowAssignment
await using project = await openProject(directory)
const { store } = project
const slow: Store = {
  ...store,
  write: async (work, options) =>
    await store.write(async (tx) => {
      const result = await work(tx)
      // Its events have their numbers by now, and nobody may get later ones before these are there.
      await sleep(HESITATION_MS)
      return result
    }, options),
}
const context = { ...contextOf(project, name), store: slow }
for (let n = 1; n <= writes; n += 1) {
  const { id } = await execute(context, createEntity, { type: 'note', title: `slow ${n}` })
  writeSync(1, `${JSON.stringify({ id })}\n`)
}
