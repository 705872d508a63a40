import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { waymark } from '../binary.ts'
import { connectOfficial } from '../official-client.ts'
import { DEADLY, PLAN, type Told } from './plan.ts'

export interface Played {
  /** What the agents said, in the order in which it was heard. */
  readonly told: readonly (Told & { readonly name: string })[]
  /** Keys of the tasks in the order in which the work itself was done. */
  readonly work: readonly string[]
  /** How the claim of the one who died was answered when somebody used it later. */
  readonly late: string
  readonly statuses: readonly string[]
  /** Numbers of the tasks in the order in which they were completed. */
  readonly completed: readonly number[]
}

/** A builder and a writer do a small project together. One hands work over, one is killed and started again. */
export async function play(cwd: string, say: (line: string) => void = () => {}): Promise<Played> {
  const record = join(cwd, 'work.txt')
  writeFileSync(record, '')
  await waymark(cwd, ['init'])
  await using planner = await connectOfficial(['serve'], { cwd, name: 'planner' })
  await planner.call('task_create', { tasks: PLAN })
  say(`planned ${PLAN.length} tasks`)

  const told: Played['told'][number][] = []
  const hear = (name: string, each: Told) => {
    told.push({ ...each, name })
    say(`${name}: ${JSON.stringify(each)}`)
  }
  const start = (name: string, kind: string, deadly: readonly string[] = []) =>
    startAgent([cwd, name, kind, record, ...deadly], (each) => hear(name, each))

  const builder = start('builder', 'build')
  const writer = start('writer', 'write', [DEADLY])
  const { signal } = await writer.ended
  say(`writer ended by ${signal ?? 'itself'}`)
  const dead = agentIn(told, 'writer')
  // Whoever looks after the agents need not wait for the lease to run out.
  await waymark(cwd, ['agent', 'leave', '--agent-id', dead.agent])
  const second = start('writer', 'write')
  await Promise.all([builder.ended, second.ended])
  const late = await planner.result('task_update', {
    ids: [String(dead.number)],
    action: 'renew',
    fence: dead.fence,
  })

  const { tasks } = await planner.call('task_get', { ids: PLAN.map(({ key }) => key) })
  const { events } = await planner.call('events', { since: 0, types: ['task.done'], limit: 30 })
  return {
    told,
    work: readFileSync(record, 'utf8').trim().split('\n'),
    late: late.isError ? 'refused' : late.text,
    statuses: (tasks as { status: string }[]).map(({ status }) => status),
    completed: (events as { number: number }[]).map(({ number }) => number),
  }
}

interface RunningAgent {
  readonly child: ChildProcess
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
}

function startAgent(args: readonly string[], hear: (told: Told) => void): RunningAgent {
  const file = fileURLToPath(new URL('agent.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--conditions=@waymark/source', file, ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  createInterface(child.stdout).on('line', (line) => hear(JSON.parse(line) as Told))
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
  }))
  return { child, ended }
}

/** Who died, in what, and with which claim. */
function agentIn(told: Played['told'], name: string) {
  const claim = told.findLast((each) => each.name === name && each.what === 'claimed')
  const number = PLAN.findIndex(({ key }) => key === claim?.key) + 1
  return { agent: claim?.agent ?? '', number, fence: claim?.fence ?? 0 }
}
