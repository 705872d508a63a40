// One process of those that claim at once: says when it is ready, claims for as many seconds as it is told, reports.
import { once } from 'node:events'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { takeTask } from '../../packages/waymark/src/task/lease/operations.ts'
import { completeTask } from '../../packages/waymark/src/task/state/operations.ts'
import { openBench } from './project.ts'

export interface ClaimReport {
  /** The tasks that it got. */
  readonly tasks: readonly string[]
  /** How long it waited for each, in milliseconds. */
  readonly waits: readonly number[]
  /** What all of it cost this process, in milliseconds of a processor. */
  readonly cpu: number
}

const [directory = '', agent = ''] = process.argv.slice(2)
await using project = await openBench(directory, agent)
process.send?.('ready')
const [seconds] = (await once(process, 'message')) as [number]
process.send?.(await claimFor(seconds * 1000))
process.disconnect()

async function claimFor(milliseconds: number): Promise<ClaimReport> {
  const { context } = project
  const tasks: string[] = []
  const waits: number[] = []
  const before = process.cpuUsage()
  const end = performance.now() + milliseconds
  while (performance.now() < end) {
    const asked = performance.now()
    const { claimed } = await execute(context, takeTask, {})
    if (claimed === null) throw new Error('there is nothing left to claim')
    waits.push(performance.now() - asked)
    tasks.push(claimed.task.id)
    await execute(context, completeTask, { id: claimed.task.id, fence: claimed.lease.fence })
  }
  const { user, system } = process.cpuUsage(before)
  return { tasks, waits, cpu: (user + system) / 1000 }
}
