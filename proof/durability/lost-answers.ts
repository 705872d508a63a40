import { openProject } from '../../packages/waymark/src/project.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { createRandom } from '../../packages/baton/test/support/random.ts'
import { createProject } from '../system/repository.ts'
import { serverObstacle, startServer } from '../system/server.ts'

const ROUNDS = 4
const CALLS = { short: 20, full: 500 }

/** A server dies somewhere between the first byte of its requests and its last answer; the client asks again. */
export const lostAnswers: Proof = {
  id: 'lost-answers',
  promise: 'A call that is repeated with its idempotency key has its effect exactly once',
  unit: 'calls sent twice',
  goal: 10_000,
  faults: ['another_key'],
  obstacle: serverObstacle,
  run: tryLostAnswers,
}

async function tryLostAnswers({ seed, level, fault }: Trial): Promise<Findings> {
  using project = await createProject()
  const random = createRandom(seed)
  const calls = CALLS[level]
  for (let round = 0; round < ROUNDS; round += 1) {
    const makeCalls = (tag: string): string[] =>
      Array.from({ length: calls }, (_, at) => toCall(round, at, `${round}.${at}${tag}`))
    const text = makeCalls('').join('')
    await using first = await startServer(project.path)
    const sent = text.slice(0, 1 + random.below(text.length))
    first.send(sent)
    // Of the calls that arrived whole, some are answered when the server dies, and the next is on its way.
    await first.untilAnswers(random.below(sent.split('\n').length))
    await first.kill()

    await using second = await startServer(project.path)
    second.send(makeCalls(fault === undefined ? '' : ' again').join(''))
    await second.untilAnswers(calls)
  }
  await using open = await openProject(project.path)
  const titles = (await open.store.entities.after(0, 100_000)).map(({ title }) => title)
  const timesByTitle = new Map<string, number>()
  for (const title of titles) timesByTitle.set(title, (timesByTitle.get(title) ?? 0) + 1)
  const times = Array.from(
    { length: ROUNDS * calls },
    (_, n) => timesByTitle.get(titleOf(Math.floor(n / calls), n % calls)) ?? 0,
  )
  return {
    tried: times.length,
    violations: {
      lost: times.filter((count) => count === 0).length,
      doubled: times.filter((count) => count > 1).length,
    },
  }
}

function titleOf(round: number, at: number): string {
  return `call ${at} of round ${round}`
}

function toCall(round: number, at: number, key: string): string {
  const args = { type: 'note', title: titleOf(round, at), idempotency_key: key }
  const params = { name: 'entity_create', arguments: args }
  return `${JSON.stringify({ jsonrpc: '2.0', id: at + 1, method: 'tools/call', params })}\n`
}
