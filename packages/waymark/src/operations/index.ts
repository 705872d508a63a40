import type { Operation } from '../operation.ts'

type File = () => Promise<Readonly<Record<string, unknown>>>

/** Every noun and the files with its operations, those used most first. A command pays only for the file it needs. */
const NOUNS: Readonly<Record<string, readonly File[]>> = {
  entity: [
    () => import('./entities.ts'),
    () => import('./entity-batch.ts'),
    () => import('./history.ts'),
  ],
  relation: [() => import('./relations.ts')],
  code: [() => import('./code.ts')],
  decision: [() => import('./decisions.ts')],
  brief: [() => import('./brief.ts')],
  status: [() => import('./status.ts')],
  graph: [() => import('./graph.ts'), () => import('./graph-export.ts')],
  cache: [() => import('./cache.ts')],
  snapshot: [() => import('./snapshot.ts')],
  hook: [() => import('./hooks.ts')],
  prompt: [() => import('./prompts.ts')],
  search: [() => import('./search.ts'), () => import('./search-context.ts')],
  task: [
    () => import('./task-queue.ts'),
    () => import('./task-list.ts'),
    () => import('./tasks.ts'),
    () => import('./task-leases.ts'),
    () => import('./task-states.ts'),
    () => import('./task-bulk.ts'),
    () => import('./task-context.ts'),
    () => import('./task-explain.ts'),
    () => import('./task-import.ts'),
  ],
  project: [() => import('./project.ts'), () => import('./project-facts.ts')],
  spec: [() => import('./specs.ts')],
  agent: [() => import('./agents.ts')],
  message: [() => import('./messages.ts')],
  event: [() => import('./events.ts')],
  sync: [() => import('./sync.ts'), () => import('./sync-hooks.ts')],
  history: [() => import('./undo.ts')],
  backup: [() => import('./backup.ts')],
  artifact: [
    () => import('./artifacts/artifacts.ts'),
    () => import('./artifacts/content.ts'),
    () => import('./artifacts/changes.ts'),
    () => import('./artifacts/lineage.ts'),
    () => import('./artifacts/collect.ts'),
  ],
  store: [() => import('./store-check.ts'), () => import('./store-promote.ts')],
}

export const NOUN_NAMES: readonly string[] = Object.keys(NOUNS)

export async function operationsOf(noun: string): Promise<readonly Operation[]> {
  return (await Promise.all(filesOf(noun).map(operationsIn))).flat()
}

export async function allOperations(): Promise<readonly Operation[]> {
  return (await Promise.all(Object.keys(NOUNS).map(operationsOf))).flat()
}

/** Looks into one file after the other and loads no more of them than it must. */
export async function findOperation(name: string): Promise<Operation | undefined> {
  for (const file of filesOf(name.split('.')[0] ?? '')) {
    const found = (await operationsIn(file)).find((operation) => operation.name === name)
    if (found !== undefined) return found
  }
  return undefined
}

function filesOf(noun: string): readonly File[] {
  return Object.hasOwn(NOUNS, noun) ? (NOUNS[noun] ?? []) : []
}

async function operationsIn(file: File): Promise<readonly Operation[]> {
  return Object.values(await file()).filter(isOperation)
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'run' in value && 'effect' in value
}
