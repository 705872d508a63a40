import { createRandom, type Random } from '../../packages/baton/test/support/random.ts'
import type { Answer, Caller, CallOptions, TeamProject } from './caller.ts'

/** Longer than any hold, shorter than the clocks are wrong: a replica that believes its own clock frees tasks early. */
const LEASE_SECONDS = 540

/** What clients of one project were told, for the judge. */
export class Ledger {
  readonly created = new Set<string>()
  readonly completed = new Map<string, string>()
  readonly claims: { readonly task: string; readonly fence: number; readonly agent: string }[] = []
  /** Who holds a task as far as clients know, until they ask to end it. */
  readonly held = new Map<string, string>()
  /** Leases that were given back; to be used too late by the one that had them. */
  readonly givenBack = new Map<string, { readonly agent: string; readonly fence: number }>()
  doubleClaims = 0
  staleWrites = 0
  lateCalls = 0
  unread = 0
  reads = 0
  refused: string[] = []
}

export interface WorkOptions {
  readonly caller: Caller
  readonly ledger: Ledger
  readonly project: TeamProject
  readonly client: number
  readonly replicas: number
  readonly tasks: number
  readonly seed: number
}

interface Lease {
  readonly task: string
  readonly fence: number
}

/** One client: makes its share of the tasks, then takes and completes until none are left. */
export async function work(options: WorkOptions): Promise<void> {
  const { caller, ledger, project, client, replicas, tasks, seed } = options
  const random = createRandom(seed * 1000 + client)
  const agent = `client-${client}`
  const call: Call = (operation, input, changes) =>
    caller.call(operation, input, { project, agent, home: client % replicas, random, ...changes })
  await create(call, ledger, { client, tasks })
  for (;;) {
    const lease = await take(call, ledger, agent)
    if (lease === undefined) return
    if (lease === 'none') {
      // Others may still give back what they hold.
      if (ledger.held.size === 0) return
      continue
    }
    await tryLate(call, ledger, lease, { agent, random })
    const isGivenBack = random.below(10) === 0 && !ledger.givenBack.has(lease.task)
    if (isGivenBack) await giveBack(call, ledger, lease, agent)
    else await complete(call, ledger, lease, { agent, random })
  }
}

type Call = (
  operation: string,
  input: object,
  changes?: Partial<CallOptions>,
) => Promise<Answer | undefined>

interface Share {
  readonly client: number
  readonly tasks: number
}

const CREATED_AT_ONCE = 10

async function create(call: Call, ledger: Ledger, { client, tasks }: Share): Promise<void> {
  for (let made = 0; made < tasks; made += CREATED_AT_ONCE) {
    const count = Math.min(CREATED_AT_ONCE, tasks - made)
    const titles = Array.from({ length: count }, (_, at) => ({
      title: `Task ${made + at} of ${client}`,
    }))
    const answer = await call('task.create_many', { tasks: titles })
    if (answer === undefined) return
    const { tasks: created } = answer.body as { tasks?: readonly { readonly id: string }[] }
    if (created === undefined) ledger.refused.push(JSON.stringify(answer.body))
    for (const { id } of created ?? []) ledger.created.add(id)
  }
}

interface Taken {
  readonly claimed: {
    readonly task: { readonly id: string }
    readonly lease: { readonly fence: number }
  } | null
}

async function take(
  call: Call,
  ledger: Ledger,
  agent: string,
): Promise<Lease | 'none' | undefined> {
  const answer = await call('task.take', { seconds: LEASE_SECONDS })
  if (answer === undefined) return undefined
  if (answer.status !== 200) {
    ledger.refused.push(JSON.stringify(answer.body))
    return undefined
  }
  const { claimed } = answer.body as Taken
  if (claimed === null) return 'none'
  const task = claimed.task.id
  const { fence } = claimed.lease
  if (ledger.held.has(task) || ledger.completed.has(task)) ledger.doubleClaims += 1
  ledger.held.set(task, agent)
  ledger.claims.push({ task, fence, agent })
  return { task, fence }
}

interface Actor {
  readonly agent: string
  readonly random: Random
}

/** The one that gave the task back completes it after all: too late, because now it is another's. */
async function tryLate(
  call: Call,
  ledger: Ledger,
  { task }: Lease,
  { agent, random }: Actor,
): Promise<void> {
  const late = ledger.givenBack.get(task)
  if (late === undefined || late.agent === agent) return
  ledger.lateCalls += 1
  const input = { id: task, fence: late.fence }
  const answer = await call('task.complete', input, { agent: late.agent, home: random.below(64) })
  if (answer?.status === 200) ledger.staleWrites += 1
}

async function giveBack(
  call: Call,
  ledger: Ledger,
  { task, fence }: Lease,
  agent: string,
): Promise<void> {
  ledger.givenBack.set(task, { agent, fence })
  ledger.held.delete(task)
  const answer = await call('task.release', { id: task, fence })
  if (answer !== undefined && answer.status !== 200)
    ledger.refused.push(JSON.stringify(answer.body))
}

async function complete(
  call: Call,
  ledger: Ledger,
  { task, fence }: Lease,
  { agent, random }: Actor,
): Promise<void> {
  ledger.held.delete(task)
  const answer = await call('task.complete', { id: task, fence })
  if (answer === undefined) return
  if (answer.status !== 200) {
    ledger.refused.push(JSON.stringify(answer.body))
    return
  }
  ledger.completed.set(task, agent)
  if (random.below(4) > 0) return
  // Another replica, at once.
  const read = await call('task.get', { id: task }, { home: answer.replica + 1, isRead: true })
  ledger.reads += 1
  if ((read?.body as { status?: string } | undefined)?.status !== 'done') ledger.unread += 1
}
