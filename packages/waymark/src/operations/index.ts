import type { Operation } from '../operation.ts'

/** Every noun and the file with its operations. Loaded one at a time: a command pays only for its own noun. */
const NOUNS: Readonly<Record<string, () => Promise<Readonly<Record<string, unknown>>>>> = {
  entity: () => allOf(import('./entities.ts'), import('./entity-batch.ts'), import('./history.ts')),
  relation: () => import('./relations.ts'),
  code: () => import('./code.ts'),
  decision: () => import('./decisions.ts'),
  brief: () => import('./brief.ts'),
  graph: () => allOf(import('./graph.ts'), import('./graph-export.ts')),
  cache: () => import('./cache.ts'),
  snapshot: () => import('./snapshot.ts'),
  hook: () => import('./hooks.ts'),
  prompt: () => import('./prompts.ts'),
  search: () => allOf(import('./search.ts'), import('./search-context.ts')),
  task: () =>
    allOf(
      import('./tasks.ts'),
      import('./task-list.ts'),
      import('./task-queue.ts'),
      import('./task-leases.ts'),
      import('./task-states.ts'),
      import('./task-bulk.ts'),
      import('./task-context.ts'),
      import('./task-explain.ts'),
      import('./task-import.ts'),
    ),
  project: () => allOf(import('./project.ts'), import('./project-facts.ts')),
  spec: () => import('./specs.ts'),
  agent: () => import('./agents.ts'),
  message: () => import('./messages.ts'),
  event: () => import('./events.ts'),
  sync: () => allOf(import('./sync.ts'), import('./sync-hooks.ts')),
  history: () => import('./undo.ts'),
  backup: () => import('./backup.ts'),
  store: () => allOf(import('./store-check.ts'), import('./store-promote.ts')),
}

export async function operationsOf(noun: string): Promise<readonly Operation[]> {
  const load = Object.hasOwn(NOUNS, noun) ? NOUNS[noun] : undefined
  return load === undefined ? [] : Object.values(await load()).filter(isOperation)
}

export async function allOperations(): Promise<readonly Operation[]> {
  const nouns = await Promise.all(Object.keys(NOUNS).map(operationsOf))
  return nouns.flat()
}

export async function findOperation(name: string): Promise<Operation | undefined> {
  const [noun = ''] = name.split('.')
  return (await operationsOf(noun)).find((operation) => operation.name === name)
}

/** A noun with so many verbs that they fill several files. */
async function allOf(...files: readonly Promise<object>[]): Promise<Record<string, unknown>> {
  return Object.assign({}, ...(await Promise.all(files))) as Record<string, unknown>
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'run' in value && 'effect' in value
}
