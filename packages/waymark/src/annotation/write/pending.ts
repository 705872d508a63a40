import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Context, ReadContext } from '../../core/context.ts'
import type { SemanticDependency } from '../record.ts'
import { defineOperation } from '../../core/operation.ts'
import { violation } from '../../core/input/parse.ts'
import { body, oneLine } from '../../core/input/schema.ts'
import { counted, line, own } from '../../core/show.ts'
import type { PendingNote } from '../pending-store.ts'
import { type Change, change } from '../../core/change.ts'
import { toTime } from '../../entity/view.ts'
import type { Repository } from '../../git/repository.ts'
import { demandHooks } from '../../hook/kinds.ts'
import { PENDING_FILE } from '../../hook/scripts.ts'
import { type Code, openCode } from './open-code.ts'
import { showPending } from './show.ts'
import { dependency, pendingView, type PendingView } from './view.ts'

/** Pending text for the next commit, to become part of its annotation. */
export interface Pending {
  readonly ids: readonly number[]
  readonly isEmpty: boolean
  readonly summary: string | undefined
  readonly task: string | undefined
  readonly reasoning: string | undefined
  readonly tags: readonly string[]
  readonly dependencies: readonly SemanticDependency[]
  readonly notes: readonly string[]
}

export const EMPTY_PENDING: Pending = {
  ids: [],
  isEmpty: true,
  summary: undefined,
  task: undefined,
  reasoning: undefined,
  tags: [],
  dependencies: [],
  notes: [],
}

const contextFields = z.object({
  summary: body({ max: 20_000 }).optional().describe('What the next commit will do and why'),
  task: oneLine({ max: 500 }).optional().describe('Task or ticket it is for'),
  reasoning: body({ max: 20_000 }).optional().describe('Why so and not otherwise'),
  dependencies: z
    .array(dependency)
    .max(100)
    .optional()
    .describe('What the change assumes about other code'),
  tags: z
    .array(oneLine({ max: 100 }))
    .max(50)
    .optional()
    .describe('Words to find it by'),
})

export const setContext = defineOperation({
  name: 'code.context_set',
  summary: 'Describe the next commit; the text goes into its annotation',
  example: '"Two parsers would drift apart" --task 12',
  effect: 'write',
  input: contextFields,
  output: pendingView,
  positional: ['reasoning'],
  async run(context, input) {
    const given = Object.entries(input).filter(([, value]) => value !== undefined)
    if (given.length === 0) throw violation('input', 'required', 'says nothing about the commit')
    const worktree = await worktreeOf(context)
    return await change(context, async (change) => {
      await stage(context, change, {
        worktree,
        kind: 'context',
        content: Object.fromEntries(given),
      })
      return toView(await change.pendingNotes.of(worktree))
    })
  },
  show: showPending,
})

export const addStagedNote = defineOperation({
  name: 'code.note',
  summary: 'Add a note for the next commit; it goes into its annotation',
  example: '"tried a pool first: the server allows one connection"',
  effect: 'write',
  input: z.object({ text: body({ max: 20_000 }).describe('What to remember') }),
  output: pendingView,
  positional: ['text'],
  async run(context, { text }) {
    const worktree = await worktreeOf(context)
    return await change(context, async (change) => {
      await stage(context, change, { worktree, kind: 'note', content: { text } })
      return toView(await change.pendingNotes.of(worktree))
    })
  },
  show: showPending,
})

export const showContext = defineOperation({
  name: 'code.context_show',
  summary: 'Show the pending text for the next commit',
  example: '',
  effect: 'read',
  input: z.object({}),
  output: pendingView,
  async run(context) {
    return toView(await context.store.pendingNotes.of(await worktreeOf(context)))
  },
  show: showPending,
})

export const clearContext = defineOperation({
  name: 'code.context_clear',
  summary: 'Discard the pending text for the next commit',
  example: '',
  effect: 'write',
  input: z.object({}),
  output: z.object({ cleared: z.int() }),
  async run(context) {
    const worktree = await worktreeOf(context)
    return await change(context, async (change) => {
      const cleared = await change.pendingNotes.clear(worktree)
      await change.announce('annotation.unstaged', worktree, { count: cleared })
      return { cleared }
    })
  },
  show: ({ cleared }) => [line`forgot ${own(counted(cleared, 'note'))} for the next commit`],
})

export async function readPending(context: ReadContext, code: Code): Promise<Pending> {
  const { gitDir } = code.repository.layout()
  const notes = (await context.store.pendingNotes.of(gitDir)).filter(
    ({ kind }) => kind !== 'squash',
  )
  if (notes.length === 0) return EMPTY_PENDING
  const { summary, task, reasoning, dependencies, tags, notes: remarks } = toView(notes)
  return {
    ids: notes.map(({ id }) => id),
    isEmpty: false,
    summary,
    task,
    reasoning,
    tags,
    dependencies,
    notes: remarks.map(({ text }) => text),
  }
}

/** Tells the hook that there is something to do. A mark too many only starts it in vain. */
export async function markPending(repository: Repository): Promise<void> {
  await writeFile(join(repository.layout().gitDir, PENDING_FILE), '')
  // Where hooks cannot be read, the status of annotations says so.
  await demandHooks(repository.root).catch(() => undefined)
}

export async function unmarkPending(gitDir: string): Promise<void> {
  await rm(join(gitDir, PENDING_FILE), { force: true })
}

/** Deletes only the rows that were read: more may have been added since. */
export async function forgetPending(change: Change, { ids }: Pending): Promise<void> {
  await change.pendingNotes.remove(ids)
}

async function stage(
  context: Context,
  change: Change,
  note: Pick<PendingNote, 'worktree' | 'kind' | 'content'>,
): Promise<void> {
  await markPending((await openCode(context)).repository)
  await change.pendingNotes.insert({ ...note, at: change.stamp.at, author: context.agent.name })
  await change.announce('annotation.staged', note.worktree, { kind: note.kind })
}

/** Pending text is per worktree. */
async function worktreeOf(context: ReadContext): Promise<string> {
  const { repository } = await openCode(context)
  return repository.layout().gitDir
}

/** Later statements replace earlier ones, and lists grow. */
function toView(pending: readonly PendingNote[]): PendingView {
  const contexts = pending
    .filter(({ kind }) => kind === 'context')
    .map(({ content }) => contextFields.parse(content))
  const { summary, task, reasoning } = Object.assign({}, ...contexts) as z.output<
    typeof contextFields
  >
  return {
    ...(summary !== undefined && { summary }),
    ...(task !== undefined && { task }),
    ...(reasoning !== undefined && { reasoning }),
    dependencies: contexts.flatMap(({ dependencies }) => dependencies ?? []),
    tags: [...new Set(contexts.flatMap(({ tags }) => tags ?? []))],
    notes: pending
      .filter(({ kind }) => kind === 'note')
      .map(({ content, at, author }) => ({
        text: String(content['text']),
        at: toTime(at),
        ...(author !== null && { author }),
      })),
  }
}
