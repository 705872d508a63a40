import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Took, Work } from './replica.ts'

export interface Fleet extends AsyncDisposable {
  /** The calls are shared out among the replicas. */
  run(work: Work): Promise<Took & { readonly wall: number }>
}

/** Replicas, each a process, that serve the same projects. Without an address they are processes on one SQLite file. */
export async function startFleet(
  url: string,
  projects: readonly string[],
  replicas: number,
): Promise<Fleet> {
  const program = fileURLToPath(new URL('replica.ts', import.meta.url))
  const children = await Promise.all(
    Array.from({ length: replicas }, async (_, at) => {
      const child = fork(program, ['replica', url, `agent-${at}`, ...projects])
      await once(child, 'message')
      return child
    }),
  )
  return {
    async run({ clients, calls, ...work }) {
      const started = performance.now()
      const share = { ...work, clients: Math.ceil(clients / replicas), calls: calls / replicas }
      const took = await Promise.all(children.map((child) => ask(child, share)))
      return {
        wall: performance.now() - started,
        latencies: took.flatMap(({ latencies }) => latencies),
        cpu: took.reduce((sum, { cpu }) => sum + cpu, 0),
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const child of children) {
        const ended = once(child, 'exit')
        child.disconnect()
        await ended
      }
    },
  }
}

async function ask(child: ChildProcess, work: Work): Promise<Took> {
  const over = new AbortController()
  const { signal } = over
  const answer = once(child, 'message', { signal }) as Promise<[Took]>
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error('a replica has ended')
  })
  child.send(work)
  try {
    const [took] = await Promise.race([answer, ended])
    return took
  } finally {
    ended.catch(() => {})
    over.abort()
  }
}
