import { dirname } from 'node:path'
import * as z from 'zod'
import type { ReadContext } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import { violation } from '../core/input/parse.ts'
import { defineOperation, type Operation } from '../core/operation.ts'
import { type Block, joined, line, own } from '../core/show.ts'
import type { HookFile } from '../git/hooks/hook-file.ts'
import { openCode } from '../annotation/write/open-code.ts'
import { markPending, readPending } from '../annotation/write/pending.ts'
import {
  chooseRemote,
  findHooks,
  HOOK_KINDS,
  type HookKind,
  installHooks,
  uninstallHooks,
} from './kinds.ts'
import { SYNC_HOOKS } from './scripts.ts'

const STATES = ['installed', 'not_installed', 'foreign'] as const

const codeHooksView = z.object({
  hooks: z.array(
    z.object({
      hook: z.string(),
      state: z
        .enum(STATES)
        .describe('foreign: a program of another kind; call `waymark code hook` from it'),
    }),
  ),
})

const syncHooksView = z.object({
  installed: z.array(z.enum(SYNC_HOOKS)),
  remote: z.string().optional().describe('The remote that the hooks sync with'),
})

const hookView = z.object({
  state: z.enum(STATES).describe('foreign: another hook is installed'),
  path: z.string(),
  backup: z.string().optional().describe('The previous hook, which runs first'),
  hooks: z
    .array(z.object({ hook: z.string(), state: z.enum(STATES) }))
    .optional()
    .describe('Each hook, where the kind has several'),
})
type HookView = z.output<typeof hookView>

const kind = z
  .enum(HOOK_KINDS)
  .default('snapshot')
  .describe('snapshot: in each commit; sync: on merge and push; code: annotations on commit')

/** Annotation hooks are those of `code.hooks`. */
const areasBy = { field: 'kind', areas: { code: ['code'] } } as const

const remote = z
  .string()
  .optional()
  .describe('Name of the remote; origin, or the only one there is')

export const showHook = defineOperation({
  name: 'hook.status',
  summary: 'Show whether the Git hooks of a kind are installed',
  example: '',
  effect: 'read',
  areasBy,
  input: z.object({ kind }),
  output: hookView,
  async run(context, { kind }) {
    return toView(await findHooks(rootOf(context), kind))
  },
  show: showHookView,
})

export const addHook = defineOperation({
  name: 'hook.install',
  summary: 'Install the Git hooks of a kind; without one, a pre-commit hook that adds a snapshot',
  example: '--kind sync',
  effect: 'write',
  areasBy,
  input: z.object({
    kind,
    force: z.boolean().default(false).describe('Install beside an existing hook, which runs first'),
    remote: remote.describe('For sync: the remote; origin, or the only one there is'),
  }),
  output: hookView,
  async run(context, { kind, force, remote: given }) {
    if (kind !== 'sync' && given !== undefined)
      throw violation(
        'remote',
        'unknown_field',
        'is for kind sync; leave it out or set kind to sync',
      )
    const root = rootOf(context)
    const remote = kind === 'sync' ? await chooseRemote(root, given) : undefined
    return toView(await installHooks(root, kind, { force, remote, tracked: force }))
  },
  show: showHookView,
})

export const removeHook = defineOperation({
  name: 'hook.uninstall',
  summary: 'Remove the Git hooks of a kind; all other lines stay, a replaced hook comes back',
  example: '--kind sync',
  effect: 'write',
  areasBy,
  input: z.object({ kind }),
  output: hookView,
  async run(context, { kind }) {
    return toView(await uninstallHooks(rootOf(context), kind))
  },
  show: showHookView,
})

export const hookSync = defineOperation({
  name: 'sync.hook',
  summary: 'Sync with one remote on git merge and git push; existing hooks stay',
  example: 'origin',
  effect: 'write',
  input: z.object({ remote }),
  output: syncHooksView,
  positional: ['remote'],
  async run(context, { remote: given }) {
    const root = rootOf(context)
    const remote = await chooseRemote(root, given)
    return { installed: installedOf(await installHooks(root, 'sync', { remote })), remote }
  },
  show: showSyncHooks,
})

export const unhookSync = defineOperation({
  name: 'sync.unhook',
  summary: 'Remove the sync lines from the Git hooks; all other lines stay',
  example: '',
  effect: 'write',
  input: z.object({}),
  output: syncHooksView,
  async run(context) {
    return { installed: installedOf(await uninstallHooks(rootOf(context), 'sync')) }
  },
  show: showSyncHooks,
})

export const showHooks = defineCodeHooks(
  { name: 'code.hooks', summary: 'Show which annotation hooks are installed', effect: 'read' },
  findHooks,
)

export const installCodeHooks = defineOperation({
  name: 'code.hooks_install',
  summary:
    'Install Git hooks that write annotations on commit and copy them on amend, rebase and squash',
  example: '',
  effect: 'write',
  input: z.object({
    tracked: z.boolean().default(false).describe('Also change hooks that Git tracks'),
  }),
  output: codeHooksView,
  async run(context, { tracked }) {
    const code = await openCode(context)
    const { root } = code.repository
    const hooks = statesOf(await installHooks(root, 'code', { tracked }))
    // Text that was said before there were hooks shall be found by them.
    if (!(await readPending(context, code)).isEmpty) {
      await markPending(code.repository)
    }
    return { hooks }
  },
  show: showCodeHooks,
})

export const uninstallCodeHooks = defineCodeHooks(
  {
    name: 'code.hooks_uninstall',
    summary: 'Remove our lines from the Git hooks; all other lines stay',
    effect: 'write',
  },
  uninstallHooks,
)

function defineCodeHooks(
  facts: Pick<Operation, 'name' | 'summary' | 'effect'>,
  act: (root: string, kind: HookKind) => Promise<readonly HookFile[]>,
) {
  return defineOperation({
    ...facts,
    example: '',
    input: z.object({}),
    output: codeHooksView,
    async run(context) {
      const { repository } = await openCode(context)
      return { hooks: statesOf(await act(repository.root, 'code')) }
    },
    show: showCodeHooks,
  })
}

function rootOf({ project }: ReadContext): string {
  if (project !== undefined) return project.root
  throw new Failure('not_initialised', 'hooks need a working tree')
}

function statesOf(files: readonly HookFile[]) {
  return files.map(({ hook, state }) => ({ hook, state }))
}

function installedOf(files: readonly HookFile[]) {
  const isInstalled = (name: string) =>
    files.some(({ hook, state }) => hook === name && state === 'installed')
  return SYNC_HOOKS.filter(isInstalled)
}

/** Several hooks are installed if each is, and foreign if one is. */
function toView(files: readonly HookFile[]): HookView {
  const [first, ...others] = files
  if (first === undefined) throw new Failure('internal', 'a kind of hooks has no hook')
  const { state, path, backup } = first
  if (others.length === 0) return { state, path, ...(backup !== undefined && { backup }) }
  const states = files.map((file) => file.state)
  const worst = STATES.findLast((each) => states.includes(each)) ?? state
  return { state: worst, path: dirname(path), hooks: statesOf(files) }
}

const STATE_WORDS = {
  installed: 'Installed',
  not_installed: 'Not installed',
  foreign: 'Custom hook exists',
} as const

function showHookView({ state, path, backup, hooks = [] }: HookView): readonly Block[] {
  return [
    line`${own(STATE_WORDS[state])}: ${path}`,
    ...(backup === undefined ? [] : [line`kept and run first: ${backup}`]),
    ...hooks.map((each) => line`${each.hook}: ${own(STATE_WORDS[each.state].toLowerCase())}`),
  ]
}

const CODE_STATE_WORDS = {
  installed: 'installed',
  not_installed: 'not installed',
  foreign: 'another program is there; call `waymark code hook` from it',
} as const

function showCodeHooks({ hooks }: z.output<typeof codeHooksView>): readonly Block[] {
  return hooks.map(({ hook, state }) => line`${hook}: ${own(CODE_STATE_WORDS[state])}`)
}

function showSyncHooks({ installed, remote }: z.output<typeof syncHooksView>): readonly Block[] {
  if (installed.length === 0) return [line`no hooks exchange knowledge`]
  const place = remote === undefined ? undefined : line` (with ${remote})`
  return [line`hooks that exchange knowledge: ${joined(installed)}${place}`]
}
