import type { Operation } from './core/operation.ts'

type File = () => Promise<Readonly<Record<string, unknown>>>

/** Every noun and the files with its operations, those used most first. A command pays only for the file it needs. */
const NOUNS: Readonly<Record<string, readonly File[]>> = {
  entity: [
    () => import('./entity/operations.ts'),
    () => import('./entity/batch.ts'),
    () => import('./sync/history/operations.ts'),
  ],
  relation: [() => import('./relation/operations.ts')],
  code: [() => import('./annotation/operations.ts')],
  decision: [() => import('./decision/operations.ts')],
  brief: [() => import('./brief/operations.ts')],
  status: [() => import('./project/status.ts')],
  graph: [() => import('./graph/operations.ts'), () => import('./graph/export.ts')],
  cache: [() => import('./project/cache.ts')],
  snapshot: [() => import('./snapshot/operations.ts')],
  hook: [() => import('./hook/operations.ts')],
  prompt: [() => import('./prompt/operations.ts')],
  search: [() => import('./search/operations.ts'), () => import('./search/context.ts')],
  task: [
    () => import('./task/queue/operations.ts'),
    () => import('./task/queue/list.ts'),
    () => import('./task/operations.ts'),
    () => import('./task/lease/operations.ts'),
    () => import('./task/state/operations.ts'),
    () => import('./task/state/bulk.ts'),
    () => import('./task/queue/context.ts'),
    () => import('./task/queue/explain.ts'),
    () => import('./task/import/operations.ts'),
  ],
  project: [() => import('./project/operations.ts'), () => import('./project/facts.ts')],
  spec: [() => import('./task/spec/operations.ts')],
  agent: [() => import('./agent/operations.ts')],
  message: [() => import('./message/operations.ts')],
  event: [() => import('./event/operations.ts')],
  sync: [() => import('./sync/operations.ts'), () => import('./hook/sync-hooks.ts')],
  history: [() => import('./sync/history/undo.ts')],
  backup: [() => import('./backup/operations.ts')],
  artifact: [
    () => import('./artifact/operations.ts'),
    () => import('./artifact/content/content.ts'),
    () => import('./artifact/changes.ts'),
    () => import('./artifact/lineage.ts'),
    () => import('./artifact/content/collect.ts'),
  ],
  store: [() => import('./integrity/operations.ts'), () => import('./integrity/promote.ts')],
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
