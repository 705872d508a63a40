import { join } from 'node:path'
import type { Action, Change, LabHost } from './host.ts'
import type { Fields } from './model/wire.ts'

/** What the model has read so far, by step. */
type Answers = ReadonlyMap<StepId, string>

export type StepId =
  | 'brief'
  | 'remember'
  | 'recall'
  | 'task_create'
  | 'task_next'
  | 'edit'
  | 'free_edit'
  | 'complete'

/** A call of Waymark, calls of the host's own tools, or the reason why there is nothing to call. */
export type Move =
  | { readonly kind: 'waymark'; readonly tool: string; readonly args: Fields }
  | { readonly kind: 'host'; readonly actions: readonly Action[] }
  | { readonly kind: 'none'; readonly reason: string }

export interface Step {
  readonly id: StepId
  readonly move: (answers: Answers) => Move
}

export const RESERVED = {
  relative: 'src/parser.ts',
  before: 'export const parser = 1\n',
  after: 'export const parser = 2\n',
} as const

export const FREE = {
  relative: 'src/lexer.ts',
  before: 'export const lexer = 1\n',
  after: 'export const lexer = 2\n',
} as const

/** Recorded before the story begins: a model that has read it was given the brief. */
export const PLANTED = 'Serve on odd ports only'

/** Recorded as well: a right-to-left override, a zero-width space and tag characters, which a reader does not see. */
export const HIDDEN = 'Use TLS everywhere\u202E\u200B\u{E0068}\u{E0069}'
const INVISIBLE = /[\u202E\u200B\u{E0000}-\u{E007F}]/u

export function hasHidden(text: string): boolean {
  return INVISIBLE.test(text)
}

/** Until the host stops. */
export function firstSession(host: LabHost, repository: string): readonly Step[] {
  const edit = (id: StepId, file: Omit<Change, 'path'>): Step => ({
    id,
    move: () => ({
      kind: 'host',
      actions: host.edit({ ...file, path: join(repository, file.relative) }),
    }),
  })
  return [
    call('brief', {}),
    call('remember', {
      type: 'decision',
      title: 'Use SQLite for sessions',
      content: 'One file that survives a kill, and no server to run.',
      properties: { status: 'accepted' },
    }),
    call('recall', { query: 'sessions' }),
    call('task_create', {
      tasks: [
        { title: 'Write the session store', key: 'store', priority: 'high' },
        { title: 'Write the login page', depends_on: ['store'] },
      ],
    }),
    call('task_next', { claim: true }),
    edit('edit', RESERVED),
    edit('free_edit', FREE),
  ]
}

/** After the host was started again and told to continue. */
export const SECOND_SESSION: readonly Step[] = [
  {
    id: 'complete',
    move: (answers) => {
      const claim = claimIn(answers.get('task_next') ?? '')
      if (claim === undefined) return { kind: 'none', reason: 'no task was claimed' }
      const args = { ids: [claim.number], action: 'complete', fence: claim.fence, reason: 'done' }
      return { kind: 'waymark', tool: 'task_update', args }
    },
  },
]

function call(tool: Exclude<StepId, 'edit' | 'free_edit' | 'complete'>, args: Fields): Step {
  return { id: tool, move: () => ({ kind: 'waymark', tool, args }) }
}

/** Number and fence, as a model would read them from either form of the answer, or from JSON within JSON. */
export function claimIn(text: string): { number: string; fence: number } | undefined {
  const [, number] = /claimed\W+(?:#|number\W+)(\d+)/.exec(text) ?? []
  const [, fence] = /fence\W+(\d+)/.exec(text) ?? []
  return number === undefined || fence === undefined ? undefined : { number, fence: Number(fence) }
}
