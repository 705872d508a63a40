import { type Context, createContext } from '../../packages/waymark/src/core/context.ts'
import { SILENT } from '../../packages/waymark/src/support/logger.ts'
import type { OpenProject } from '../../packages/waymark/src/core/project/project.ts'

/** What an agent of this name may use, straight on the project. */
export function contextOf({ store, root, state, code }: OpenProject, name: string): Context {
  return createContext({
    store,
    agent: { name, surface: 'api' },
    logger: SILENT,
    project: { root, state },
    code,
  })
}
