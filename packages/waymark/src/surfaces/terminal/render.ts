import { isFields, plain, type Render, type Style } from './cells.ts'

type File = () => Promise<{ readonly RENDERERS: Readonly<Record<string, Render>> }>

/** Where to find how the answers of a noun's operations are read. */
const FILES: Readonly<Record<string, File>> = {
  agent: () => import('../../agent/show.ts'),
  artifact: () => import('../../artifact/show.ts'),
  backup: () => import('../../sync/show.ts'),
  brief: () => import('../../project/show-status.ts'),
  cache: () => import('../../project/show.ts'),
  code: () => import('../../annotation/read/render.ts'),
  decision: () => import('../../entity/show.ts'),
  entity: () => import('../../entity/show.ts'),
  event: () => import('../../agent/show.ts'),
  graph: () => import('../../graph/show.ts'),
  history: () => import('../../sync/show.ts'),
  hook: () => import('../../project/show.ts'),
  message: () => import('../../agent/show.ts'),
  project: () => import('../../project/show.ts'),
  prompt: () => import('../../project/show.ts'),
  relation: () => import('../../entity/show.ts'),
  search: () => import('../../search/show.ts'),
  snapshot: () => import('../../project/show.ts'),
  spec: () => import('../../project/show.ts'),
  status: () => import('../../project/show-status.ts'),
  store: () => import('../../sync/show.ts'),
  sync: () => import('../../sync/show.ts'),
  task: () => import('../../task/show.ts'),
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
