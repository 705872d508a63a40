import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Context, createContext } from '../../packages/waymark/src/core/context.ts'
import { SILENT } from '../../packages/waymark/src/support/logger.ts'
import { initialiseProject, openProject } from '../../packages/waymark/src/core/project/project.ts'
import type { Store } from '../../packages/waymark/src/core/store/store.ts'
import { toEntityId, type EntityId } from '../../packages/waymark/src/entity/entity-id.ts'

export interface BenchProject extends AsyncDisposable {
  readonly directory: string
  readonly context: Context
}

export async function openBench(directory: string, agent: string): Promise<BenchProject> {
  const project = await openProject(directory)
  const context = createContext({
    store: project.store,
    agent: { name: agent, surface: 'api' },
    logger: SILENT,
  })
  return { directory, context, [Symbol.asyncDispose]: () => project[Symbol.asyncDispose]() }
}

/** A project with so many tasks, as one that is worked on: a third is done, a fifth waits for others. */
export async function fillBench(directory: string, tasks: number): Promise<BenchProject> {
  mkdirSync(join(directory, '.waymark'), { recursive: true })
  await initialiseProject(directory)
  const project = await openBench(directory, 'bench')
  const ids: EntityId[] = []
  while (ids.length < tasks) {
    await project.context.store.write(async (tx) => {
      const at = await tx.now(Date)
      for (let left = Math.min(500, tasks - ids.length); left > 0; left -= 1) {
        ids.push(await insertTask(tx, ids, at))
      }
    })
  }
  return project
}

type Transaction = Parameters<Parameters<Store['write']>[0]>[0]

async function insertTask(
  tx: Transaction,
  ids: readonly EntityId[],
  at: number,
): Promise<EntityId> {
  const number = ids.length
  const status = number % 3 === 0 ? 'done' : 'todo'
  const { id } = await tx.entities.insert({
    id: toEntityId(crypto.randomUUID()),
    type: 'task',
    title: `Task ${number} of the plan`,
    content: 'What is to be done, and how one will know that it is. '.repeat(4),
    tags: [`area-${number % 20}`],
    status,
    properties: { status, priority: [0, 250, 500, 750][number % 4] },
    createdAt: at,
    createdBy: 'bench',
  })
  const blocker = ids[number - 1]
  if (number % 5 === 0 && blocker !== undefined) {
    const relation = { sourceId: blocker, type: 'blocks', targetId: id, properties: {} }
    await tx.relations.insert({ ...relation, createdAt: at, createdBy: 'bench' })
  }
  return id
}
