import type * as z from 'zod'
import type { Operation } from '../../core/operation.ts'
import { isFields, plain, type Render, type Style } from './cells.ts'
import { print } from './print.ts'

type File = () => Promise<{ readonly RENDERERS: Readonly<Record<string, Render>> }>

/** Where to find how the answers of a noun's operations are read. */
const FILES: Readonly<Record<string, File>> = {
  agent: () => import('../../agent/show.ts'),
  artifact: () => import('../../artifact/show.ts'),
  backup: () => import('../../sync/show.ts'),
  brief: () => import('../../project/show-status.ts'),
  cache: () => import('../../project/show.ts'),
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
}

/** Prints the output of an operation for a person. */
export async function render<Output extends z.ZodType>(
  operation: Pick<Operation<z.ZodObject, Output>, 'name' | 'show'>,
  output: z.output<Output>,
  style: Style,
): Promise<string> {
  if ('show' in operation) return await print(operation.show(output), style)
  const { name } = operation as Operation
  if (!isFields(output)) return `${plain(output)}\n`
  return await (
    await rendererOf(name)
  )(output, style)
}

export async function rendererOf(operation: string): Promise<Render> {
  const [noun = ''] = operation.split('.')
  const file = await FILES[noun]?.()
  const renderer = file?.RENDERERS[operation]
  if (renderer === undefined) throw new Error(`nothing says how ${operation} is shown`)
  return renderer
}
