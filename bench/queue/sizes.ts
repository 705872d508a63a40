import { join } from 'node:path'
import type { Context } from '../../packages/waymark/src/core/context.ts'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { takeTask } from '../../packages/waymark/src/task/lease/operations.ts'
import {
  blockedTasks,
  nextTask,
  readyTasks,
} from '../../packages/waymark/src/task/queue/operations.ts'
import { completeTask } from '../../packages/waymark/src/task/state/operations.ts'
import { createTask } from '../../packages/waymark/src/task/operations.ts'
import { type BenchProject, fillBench } from './project.ts'
import { ms, quantile, timed } from '../statistics.ts'

const LARGEST = Number(process.env['WAYMARK_TASKS'] ?? 100_000)
const ROUNDS = Number(process.env['WAYMARK_ROUNDS'] ?? 100)
const SIZES = [...new Set([1_000, Math.min(10_000, LARGEST), LARGEST])]
const LARGEST_RATIO = 3

const CALLS: Readonly<Record<string, (context: Context) => Promise<unknown>>> = {
  ready: (context) => execute(context, readyTasks, {}),
  'ready with a label': (context) => execute(context, readyTasks, { labels: ['area-7'] }),
  next: (context) => execute(context, nextTask, {}),
  blocked: (context) => execute(context, blockedTasks, {}),
  create: (context) => execute(context, createTask, { title: 'Found on the way' }),
  'claim + complete': takeAndComplete,
}

/** How calls grow with the project: each in turn at every size. */
export async function measureSizes(folder: string): Promise<void> {
  const projects: BenchProject[] = []
  for (const size of SIZES) projects.push(await fillBench(join(folder, `size-${size}`), size))
  console.log(`\nin projects of ${SIZES.join(', ')} tasks (${ROUNDS} rounds)`)
  for (const [name, call] of Object.entries(CALLS)) {
    const samples = SIZES.map((): number[] => [])
    for (let round = -5; round < ROUNDS; round += 1) {
      for (const [at, { context }] of projects.entries()) {
        const took = await timed(() => call(context))
        // The first rounds fill caches and compile code.
        if (round >= 0) samples[at]?.push(took)
      }
    }
    console.log(
      `  ${name.padEnd(20)} ${samples.map((each) => toColumn(each, samples[0])).join('   ')}`,
    )
  }
  for (const project of projects) await project[Symbol.asyncDispose]()
}

function toColumn(samples: readonly number[], base: readonly number[] = []): string {
  const p95 = quantile(samples, 0.95)
  const ratio = p95 / quantile(base, 0.95)
  const verdict = ratio < LARGEST_RATIO ? '' : ' TOO MUCH'
  return `p50 ${ms(quantile(samples, 0.5))} p95 ${ms(p95)} ×${ratio.toFixed(2)}${verdict}`
}

async function takeAndComplete(context: Context): Promise<void> {
  const { claimed } = await execute(context, takeTask, {})
  if (claimed === null) throw new Error('there is nothing left to claim')
  await execute(context, completeTask, { id: claimed.task.id, fence: claimed.lease.fence })
}
