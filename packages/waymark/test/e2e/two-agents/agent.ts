// One agent in a process of its own: takes work of its kind and does it, until everything is done.
// usage: agent.ts <folder> <name> <kind> <file that work is recorded in> [key of the task to die in]
import { appendFileSync } from 'node:fs'
import { connectOfficial } from '../official-client.ts'
import { HANDED_OVER, type Told } from './plan.ts'

interface Claimed {
  readonly number: number
  readonly key: string
  readonly fence: number
  readonly held_by: string
  readonly handoff?: string
}

const [cwd = '', name = '', kind = '', record = '', deadly] = process.argv.slice(2)
const WAIT_SECONDS = 5

await using server = await connectOfficial(['serve'], { cwd, name })
let cursor = Number((await server.call('brief'))['cursor'])
for (;;) {
  const { claimed } = (await server.call('task_next', { claim: true, labels: [kind] })) as {
    claimed?: Claimed
  }
  if (claimed !== undefined) await doWork(claimed)
  else if ((await server.call('task_get'))['total'] === 0) break
  else cursor = await waitForNews(cursor)
}

async function doWork({ number, key, fence, held_by, handoff }: Claimed): Promise<void> {
  const claim = { key, fence, agent: held_by }
  tell({ what: 'claimed', ...claim })
  if (key === deadly) process.kill(process.pid, 'SIGKILL')
  if (key === HANDED_OVER && kind === 'build') {
    await handOver(number, fence)
    return tell({ what: 'handed_over', ...claim })
  }
  if (handoff !== undefined) tell({ what: 'took_over', ...claim, note: handoff })
  appendFileSync(record, `${key}\n`)
  await server.call('task_update', { ids: [String(number)], action: 'complete', fence })
  tell({ what: 'done', ...claim })
}

/** The first half is done; what is left is for an agent of another kind. */
async function handOver(number: number, fence: number): Promise<void> {
  const ids = [String(number)]
  await server.call('task_update', { ids, fence, add_labels: ['write'], remove_labels: ['build'] })
  const body = 'the routes are there; describe them'
  await server.call('message_send', { task: String(number), severity: 'handoff', body })
  await server.call('task_update', { ids, action: 'release', fence })
}

async function waitForNews(since: number): Promise<number> {
  const { next_cursor } = await server.call('events', { since, wait_seconds: WAIT_SECONDS })
  return Number(next_cursor)
}

function tell(told: Told): void {
  process.stdout.write(`${JSON.stringify(told)}\n`)
}
