import * as z from 'zod'
import type { ReadContext } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import { hookStatus, installHook, uninstallHook } from './git-hooks.ts'
import { defineOperation } from '../core/operation.ts'
import { SNAPSHOT_FOLDER } from '../snapshot/entry.ts'
import { type Block, line, own } from '../core/show.ts'

const hookView = z.object({
  state: z
    .enum(['installed', 'not_installed', 'foreign'])
    .describe('foreign: another hook is installed'),
  path: z.string(),
  backup: z.string().optional().describe('The previous hook, which runs first'),
})
type HookView = z.output<typeof hookView>

export const showHook = defineOperation({
  name: 'hook.status',
  summary: 'Show whether the snapshot hook is installed',
  effect: 'read',
  input: z.object({}),
  output: hookView,
  async run(context) {
    return await hookStatus(rootOf(context))
  },
  show: showHookView,
})

export const addHook = defineOperation({
  name: 'hook.install',
  summary: 'Install a pre-commit hook that adds a snapshot to each commit',
  effect: 'write',
  input: z.object({
    force: z.boolean().default(false).describe('Install beside an existing hook, which runs first'),
  }),
  output: hookView,
  async run(context, { force }) {
    return await installHook(rootOf(context), { folder: SNAPSHOT_FOLDER, force })
  },
  show: showHookView,
})

export const removeHook = defineOperation({
  name: 'hook.uninstall',
  summary: 'Remove the snapshot hook and restore the previous one',
  effect: 'write',
  input: z.object({}),
  output: hookView,
  async run(context) {
    return await uninstallHook(rootOf(context))
  },
  show: showHookView,
})

function rootOf({ project }: ReadContext): string {
  if (project !== undefined) return project.root
  throw new Failure('not_initialised', 'hooks need a working tree')
}

const STATES: Readonly<Record<HookView['state'], string>> = {
  installed: 'Installed',
  not_installed: 'Not installed',
  foreign: 'Custom hook exists',
}

function showHookView({ state, path, backup }: HookView): readonly Block[] {
  return [
    line`${own(STATES[state])}: ${path}`,
    ...(backup === undefined ? [] : [line`kept and run first: ${backup}`]),
  ]
}
