import * as z from 'zod'
import type { Context } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import {
  chooseRemote,
  installedSyncHooks,
  installSyncHooks,
  removeSyncHooks,
  SYNC_HOOKS,
} from './sync-scripts.ts'
import { defineOperation } from '../core/operation.ts'
import { type Block, joined, line } from '../core/show.ts'

const hooks = z.object({
  installed: z.array(z.enum(SYNC_HOOKS)),
  remote: z.string().optional().describe('The remote that the hooks sync with'),
})

export const hookSync = defineOperation({
  name: 'sync.hook',
  summary: 'Sync with one remote on git merge and git push; existing hooks stay',
  example: 'origin',
  effect: 'write',
  input: z.object({
    remote: z.string().optional().describe('Name of the remote; origin, or the only one there is'),
  }),
  output: hooks,
  positional: ['remote'],
  async run(context, { remote: given }) {
    const root = rootOf(context)
    const remote = await chooseRemote(root, given)
    await installSyncHooks(root, remote)
    return { installed: await installedSyncHooks(root), remote }
  },
  show: showSyncHooks,
})

export const unhookSync = defineOperation({
  name: 'sync.unhook',
  summary: 'Remove the sync lines from the Git hooks; all other lines stay',
  example: '',
  effect: 'write',
  input: z.object({}),
  output: hooks,
  async run(context) {
    const root = rootOf(context)
    await removeSyncHooks(root)
    return { installed: await installedSyncHooks(root) }
  },
  show: showSyncHooks,
})

function rootOf({ project }: Context): string {
  if (project !== undefined) return project.root
  throw new Failure('not_initialised', 'hooks need a working tree')
}

function showSyncHooks({ installed, remote }: z.output<typeof hooks>): readonly Block[] {
  if (installed.length === 0) return [line`no hooks exchange knowledge`]
  const place = remote === undefined ? undefined : line` (with ${remote})`
  return [line`hooks that exchange knowledge: ${joined(installed)}${place}`]
}
