import * as z from 'zod'
import type { Context } from '../context.ts'
import { Failure } from '../error.ts'
import {
  installedSyncHooks,
  installSyncHooks,
  removeSyncHooks,
  SYNC_HOOKS,
} from '../git/sync-hooks.ts'
import { defineOperation } from '../operation.ts'

const hooks = z.object({ installed: z.array(z.enum(SYNC_HOOKS)) })

export const hookSync = defineOperation({
  name: 'sync.hook',
  summary: 'Let git merge and git push exchange knowledge too; hooks that are there stay',
  effect: 'write',
  input: z.object({}),
  output: hooks,
  async run(context) {
    const root = rootOf(context)
    await installSyncHooks(root)
    return { installed: await installedSyncHooks(root) }
  },
})

export const unhookSync = defineOperation({
  name: 'sync.unhook',
  summary: 'Take out of the hooks what was put in, and nothing else',
  effect: 'write',
  input: z.object({}),
  output: hooks,
  async run(context) {
    const root = rootOf(context)
    await removeSyncHooks(root)
    return { installed: await installedSyncHooks(root) }
  },
})

function rootOf({ project }: Context): string {
  if (project !== undefined) return project.root
  throw new Failure('not_initialised', 'hooks need a working tree')
}
