import { isFields, plain, type Render, type Style } from './cells.ts'

type File = () => Promise<{ readonly RENDERERS: Readonly<Record<string, Render>> }>

/** Where to find how the answers of a noun's operations are read. */
const FILES: Readonly<Record<string, File>> = {
  agent: () => import('./render/crew.ts'),
  artifact: () => import('./render/artifacts.ts'),
  backup: () => import('./render/replica.ts'),
  brief: () => import('./render/status.ts'),
  cache: () => import('./render/project.ts'),
  code: () => import('./render/code.ts'),
  decision: () => import('./render/entities.ts'),
  entity: () => import('./render/entities.ts'),
  event: () => import('./render/crew.ts'),
  graph: () => import('./render/graph.ts'),
  history: () => import('./render/replica.ts'),
  hook: () => import('./render/project.ts'),
  message: () => import('./render/crew.ts'),
  project: () => import('./render/project.ts'),
  prompt: () => import('./render/project.ts'),
  relation: () => import('./render/entities.ts'),
  search: () => import('./render/search.ts'),
  snapshot: () => import('./render/project.ts'),
  spec: () => import('./render/project.ts'),
  status: () => import('./render/status.ts'),
  store: () => import('./render/replica.ts'),
  sync: () => import('./render/replica.ts'),
  task: () => import('./render/tasks.ts'),
}

/** What an operation answered, as a person reads it. */
export async function render(operation: string, output: unknown, style: Style): Promise<string> {
  if (!isFields(output)) return `${plain(output)}\n`
  return await (
    await rendererOf(operation)
  )(output, style)
}

export async function rendererOf(operation: string): Promise<Render> {
  const [noun = ''] = operation.split('.')
  const file = await FILES[noun]?.()
  const renderer = file?.RENDERERS[operation]
  if (renderer === undefined) throw new Error(`nothing says how ${operation} is shown`)
  return renderer
}
