// Creates as fast as it can until its input ends, and says how long each answer took.
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { createEntity } from '../../packages/waymark/src/entity/operations.ts'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import { contextOf } from '../system/agent.ts'

export interface BusyAssignment {
  readonly directory: string
  readonly name: string
  readonly fault?: string | undefined
}

const assignment = JSON.parse(process.argv[2] ?? '') as BusyAssignment
await using project = await openProject(assignment.directory)
const context = contextOf(project, assignment.name)
writeSync(1, '{"ready":true}\n')
await once(process.stdin, 'data')
let isStopped = false
process.stdin.once('end', () => (isStopped = true)).resume()
for (let n = 0; !isStopped; n += 1) {
  const start = performance.now()
  await execute(context, createEntity, { type: 'note', title: `note ${n}` })
  writeSync(1, `${JSON.stringify({ wait: performance.now() - start })}\n`)
  // What a process does that finds the lock taken and comes back later and later.
  while (assignment.fault !== undefined && !isStopped) await sleep(5)
}
