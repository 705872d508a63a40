// Four agents of one clone claim, keep, give back and finish tasks, while other clones of the same remote do so too.
import { execFileSync } from 'node:child_process'
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, createContext } from '../../../packages/waymark/src/core/context.ts'
import { Failure } from '../../../packages/waymark/src/core/error.ts'
import { execute } from '../../../packages/waymark/src/core/execute.ts'
import { openProject } from '../../../packages/waymark/src/core/project/project.ts'
import { runSync } from '../../../packages/waymark/src/sync/operations.ts'
import {
  claimTask,
  releaseTask,
  renewTask,
  takeTask,
} from '../../../packages/waymark/src/task/lease/operations.ts'
import { completeTask, reopenTask } from '../../../packages/waymark/src/task/state/operations.ts'
import { SILENT } from '../../../packages/waymark/src/support/logger.ts'
import { type CloneAssignment, type CloneReport, type KeptTask, trueTime } from './record.ts'

const assignment = JSON.parse(process.argv[2] ?? '') as CloneAssignment
const { directory, remote, clone, tasks, skew, seed, until } = assignment
await using project = await openProject(directory)
const { store, root, state, code } = project
let isOffline = false
setOffline(assignment.kept !== undefined)

await Promise.all(assignment.agents.map((name, at) => work(contextOf(name), at)))
setOffline(false)
// What was claimed offline is settled now.
await tried(() => execute(contextOf(clone), runSync, {}))

/** `tells`: the remote is told at once of a lease that ends, not with the next claim of this clone. */
function contextOf(name: string, { tells = true }: { readonly tells?: boolean } = {}): Context {
  return createContext({
    store,
    agent: { name, surface: 'api' },
    logger: SILENT,
    project: { root, state },
    code,
    coordination: tells ? 'git' : 'local',
    now: () => trueTime(assignment) + skew,
  })
}

async function work(context: Context, at: number): Promise<void> {
  const random = numbersFrom(seed + 7919 * at)
  const { kept } = assignment
  if (at === 0 && kept !== undefined) await keep(context, kept, random)
  while (Date.now() < until) {
    await workOnce(context, random)
    if (at === 1 && kept === undefined && random() < 0.02) await beOffline(context, random)
  }
}

async function workOnce(context: Context, random: () => number): Promise<void> {
  const id = tasks[Math.floor(random() * tasks.length)] ?? ''
  const granted = await claim(context, random() < 0.5 ? undefined : id)
  if (granted === undefined) return await sleep(10 + 40 * random())
  // Claims without the remote cost nothing; the others are those to try.
  await sleep((isOffline ? 400 : 60) * random())
  const choice = random()
  if (choice < 0.04) return
  const ending = contextOf(granted.agent, { tells: random() < 0.25 })
  if (choice < 0.8) return await end(ending, 'released', granted, releaseTask)
  await end(ending, 'completed', granted, completeTask)
  await tried(() => execute(ending, reopenTask, { id: granted.task }))
}

/** Without the remote, up to the last moment that it has granted. */
async function keep(context: Context, kept: KeptTask, random: () => number): Promise<void> {
  const { task: id, fence } = kept
  for (;;) {
    const renewed = await tried(() => execute(context, renewTask, { id, seconds: 7200, fence }))
    if (renewed === undefined || Date.now() >= until) break
    report({ ...kept, kind: 'granted', until: toTrue(renewed.lease.expires_at) })
    await sleep(100 + 200 * random())
  }
  setOffline(false)
}

async function beOffline(context: Context, random: () => number): Promise<void> {
  setOffline(true)
  await sleep(500 + 1000 * random())
  setOffline(false)
  await tried(() => execute(context, runSync, {}))
}

interface Granted {
  readonly task: string
  readonly agent: string
  readonly fence: number
  readonly provisional: boolean
  readonly at: number
}

/** Without an id, whichever task is ready. */
async function claim(context: Context, id: string | undefined): Promise<Granted | undefined> {
  const offline = isOffline
  try {
    const claimed = await ask(context, id, { seconds: 7200, offline })
    if (claimed === null) return undefined
    const { task, lease, renewed } = claimed
    // A restarted agent that still holds it goes on.
    const granted = {
      task: task.id,
      agent: context.agent.name ?? '',
      fence: lease.fence,
      provisional: offline || renewed,
      at: trueTime(assignment),
    }
    report({ ...granted, kind: 'granted', until: toTrue(lease.expires_at) })
    return granted
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (id !== undefined && error.details.reason === 'parked')
      await tried(() => execute(context, reopenTask, { id }))
    return undefined
  }
}

async function ask(
  context: Context,
  id: string | undefined,
  options: { readonly seconds: number; readonly offline: boolean },
) {
  return id === undefined
    ? (await execute(context, takeTask, options)).claimed
    : await execute(context, claimTask, { id, ...options })
}

async function end(
  context: Context,
  kind: 'released' | 'completed',
  granted: Granted,
  operation: typeof releaseTask | typeof completeTask,
): Promise<void> {
  const { task: id, fence } = granted
  // Given up from here on, whatever the answer.
  const began = trueTime(assignment)
  report({ ...granted, kind: 'ending', at: began })
  const done = await tried(() => execute(context, operation as typeof releaseTask, { id, fence }))
  if (done !== undefined) report({ ...granted, kind, at: began })
}

async function tried<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

function setOffline(offline: boolean): void {
  isOffline = offline
  setRemote(offline ? `${remote}.away` : remote)
}

function setRemote(url: string): void {
  execFileSync('git', ['-C', directory, 'config', 'remote.origin.url', url])
}

function toTrue(time: string): number {
  return Date.parse(time) - skew
}

function report(line: Omit<CloneReport, 'clone'>): void {
  writeSync(1, `${JSON.stringify({ clone, ...line })}\n`)
}

function numbersFrom(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
