import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../statistics.ts'
import { createProject, fillProject, toCreate } from './project.ts'
import { ask, type Call, cpuOf, serve } from './server.ts'

const SIZE = { tasks: 10_000, decisions: 5_000 }
const STARTS = 5
const WARM_CALLS = 12

/** A model that has just got the list of tools thinks for at least so long. */
const THINKING_MS = 2000

const CALLS: Readonly<Record<string, Call>> = {
  brief: ['brief', {}],
  recall: ['recall', { query: 'lease parser' }],
  code_why: ['code_why', { path: 'README.md' }],
}

/**
 * The CPU time of the first call after a start beside that of later ones, in a large project: of a call that comes with
 * the handshake, in a project without entities too, where it is the code that the call loads, and of one that comes after
 * a model has thought. What the server did meanwhile is told as well.
 */
export async function measureStarts(folder: string): Promise<void> {
  const directory = createProject(join(folder, 'large'))
  const small = createProject(join(folder, 'empty'))
  await fillProject(directory, SIZE)
  const { tasks, decisions } = SIZE
  console.log(`\nfirst call after a start, ${tasks} tasks and ${decisions} decisions, CPU time`)
  for (const [name, call] of Object.entries(CALLS)) {
    const empty: number[] = []
    const first: number[] = []
    const idle: number[] = []
    const thought: number[] = []
    const second: number[] = []
    const warm: number[] = []
    for (let start = 0; start < STARTS; start += 1) {
      empty.push(await firstIn(small, call))
      await using server = await serve(directory)
      first.push(await cpuOf(server, () => ask(server, call)))
      // Answers that depend on what was changed cannot come from a cache.
      await ask(server, toCreate(SIZE.tasks + start))
      second.push(await cpuOf(server, () => ask(server, call)))
      for (let at = 0; at < WARM_CALLS / 2; at += 1) await ask(server, call)
      const later: number[] = []
      for (let at = 0; at < WARM_CALLS; at += 1)
        later.push(await cpuOf(server, () => ask(server, call)))
      warm.push(median(later))
      await using rested = await serve(directory)
      idle.push(
        await cpuOf(rested, async () => {
          await rested.request('tools/list', {})
          await sleep(THINKING_MS)
        }),
      )
      thought.push(await cpuOf(rested, () => ask(rested, call)))
    }
    const toMs = (values: readonly number[]) => (median(values) / 1000).toFixed(1)
    const times = (of: readonly number[]) => `×${(median(of) / median(warm)).toFixed(1)}`
    console.log(
      `  ${name.padEnd(9)} later ${toMs(warm)} ms; with the handshake ${toMs(first)} ms (${times(first)}),` +
        ` in an empty project ${toMs(empty)} ms; after ${THINKING_MS / 1000} s of thought` +
        ` ${toMs(thought)} ms (${times(thought)}), and ${toMs(idle)} ms meanwhile;` +
        ` second, after a change, ${toMs(second)} ms (${times(second)})`,
    )
  }
}

async function firstIn(directory: string, call: Call): Promise<number> {
  await using server = await serve(directory)
  return await cpuOf(server, () => ask(server, call))
}
