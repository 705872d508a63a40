import { call } from '../data/call.ts'
import { knowledgeWords } from '../text/view/knowledge.ts'
import { type Act, quoted } from './act.ts'

/** A decision, note or other entry that is no task. */
export interface Entry {
  readonly number: number
  readonly type: string
  readonly status: unknown
}

const isDecision = ({ type }: Entry): boolean => type === 'decision'

/** Every act on an entry of knowledge. */
export const ENTITY_ACTS: readonly Act<Entry>[] = [
  {
    id: 'accept',
    label: knowledgeWords.accept,
    key: 'a',
    applies: (entry) => isDecision(entry) && entry.status !== 'accepted',
    ...toStatus('accepted'),
  },
  {
    id: 'reject',
    label: knowledgeWords.reject,
    key: 'Shift+r',
    applies: (entry) => isDecision(entry) && entry.status === 'proposed',
    ...toStatus('deprecated'),
  },
  {
    id: 'supersede',
    label: knowledgeWords.supersede,
    key: 's',
    applies: (entry) => isDecision(entry) && entry.status !== 'superseded',
    question: ({ number }) => ({
      text: knowledgeWords.askSupersede(number),
      label: knowledgeWords.supersede,
      isRequired: true,
      hint: knowledgeWords.leansFirst,
    }),
    command: ({ number }, successor) =>
      `waymark decision supersede ${number} ${quoted(toNumber(successor))}`,
    run: ({ number }, successor, idempotencyKey) =>
      call(
        'decision.supersede',
        { old: String(number), new: toNumber(successor) },
        { idempotencyKey },
      ),
  },
  {
    id: 'delete',
    label: knowledgeWords.delete,
    key: 'Shift+x',
    isDanger: true,
    applies: () => true,
    question: ({ number }) => ({
      text: knowledgeWords.askDelete(number),
      label: knowledgeWords.delete,
      isRequired: false,
      isConfirmation: true,
    }),
    command: ({ number }) => `waymark delete ${number} --force`,
    run: ({ number }, _, idempotencyKey) =>
      call('entity.delete', { id: String(number) }, { idempotencyKey }),
    undo: ({ number }) => call('entity.restore', { id: String(number) }),
  },
]

function toStatus(next: string): Pick<Act<Entry>, 'command' | 'run' | 'undo'> {
  const set = ({ number }: Entry, status: string, idempotencyKey?: string) =>
    call(
      'entity.update',
      { id: String(number), properties: { status } },
      idempotencyKey === undefined ? {} : { idempotencyKey },
    )
  return {
    command: ({ number }) => `waymark update ${number} --status ${next}`,
    run: (entry, _, idempotencyKey) => set(entry, next, idempotencyKey),
    undo: (before) => set(before, String(before.status)),
  }
}

function toNumber(text: string): string {
  return text.trim().replace(/^#/, '')
}
