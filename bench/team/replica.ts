// One replica in a process of its own: clients of it create tasks, or take and complete them, in turn in its projects.
import { createContext, type Context } from '../../packages/waymark/src/core/context.ts'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { openPostgres } from '../../packages/waymark/src/core/postgres/open.ts'
import { openStore } from '../../packages/waymark/src/core/store/open.ts'
import { createStore, type Store } from '../../packages/waymark/src/core/store/store.ts'
import { SILENT } from '../../packages/waymark/src/support/logger.ts'
import { takeTask } from '../../packages/waymark/src/task/lease/operations.ts'
import { createTask } from '../../packages/waymark/src/task/operations.ts'
import { completeTask } from '../../packages/waymark/src/task/state/operations.ts'

/** What one replica is asked to do. */
export interface Work {
  readonly kind: 'create' | 'take'
  readonly clients: number
  readonly calls: number
  /** Milliseconds between the begins of two calls of a client; 0 is one after the other. */
  readonly every: number
}

/** What it took. */
export interface Took {
  /** Of each call, in milliseconds. */
  readonly latencies: readonly number[]
  readonly cpu: number
}

const TEXT = 'What there is to do, and how one sees that it is done. '.repeat(4)

export async function openReplica(url: string, projects: readonly string[], name: string) {
  const stores: Store[] = []
  for (const project of projects)
    stores.push(
      url === '' ? await openStore(project) : createStore(await openPostgres(project, url)),
    )
  const contexts = stores.map((store) => {
    const agent = { name, surface: 'http', owner: 'team' } as const
    return createContext({ store, agent, logger: SILENT, replyBytes: Infinity })
  })
  return {
    run: (work: Work) => run(contexts, work),
    close: async () => {
      for (const store of stores) await store.close()
    },
  }
}

let made = 0

async function run(contexts: readonly Context[], work: Work): Promise<Took> {
  const latencies: number[] = []
  const before = process.cpuUsage()
  let left = work.calls
  const client = async (at: number): Promise<void> => {
    const begin = performance.now() + (at / work.clients) * work.every
    for (let call = 0; left > 0; call += 1) {
      left -= 1
      if (work.every > 0) await until(begin + call * work.every)
      const context = contexts[made % contexts.length]
      if (context === undefined) return
      made += 1
      const started = performance.now()
      await (work.kind === 'create' ? create(context) : takeAndComplete(context))
      latencies.push(performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: work.clients }, (_, at) => client(at)))
  const { user, system } = process.cpuUsage(before)
  return { latencies, cpu: (user + system) / 1000 }
}

async function until(moment: number): Promise<void> {
  const rest = moment - performance.now()
  if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest))
}

/** As the call of a client: with a key and a signal of its own. */
function callOf(context: Context): Context {
  const { signal } = new AbortController()
  return { ...context, idempotencyKey: crypto.randomUUID(), signal }
}

async function create(context: Context): Promise<void> {
  const title = `Make part ${made} of the parser`
  await execute(callOf(context), createTask, { title, content: TEXT, labels: ['parser'] })
}

async function takeAndComplete(context: Context): Promise<void> {
  const { claimed } = await execute(callOf(context), takeTask, {})
  if (claimed === null) throw new Error('no task is left')
  const { task, lease } = claimed
  await execute(callOf(context), completeTask, { id: String(task.number), fence: lease.fence })
}

if (process.send !== undefined && process.argv[2] === 'replica') {
  const [, , , url = '', name = '', ...projects] = process.argv
  const replica = await openReplica(url, projects, name)
  process.on('message', (work: Work) => {
    void replica.run(work).then((took) => process.send?.(took))
  })
  process.once('disconnect', () => void replica.close())
  process.send('ready')
}
