import { ask } from '../acts/ask.ts'
import { call } from '../data/call.ts'
import { say } from '../data/notices.ts'
import { me } from '../data/session.ts'
import { en } from '../text/en.ts'

interface Props {
  readonly number: number
  readonly status: unknown
  /** Only accepting and rejecting. */
  readonly isBrief?: boolean
}

/** Accepting, rejecting and superseding a decision. */
export function DecisionActs({ number, status, isBrief = false }: Props) {
  const isReadOnly = me.value?.read_only === true
  const set = (next: string) => () =>
    void attempt(() => call('entity.update', { id: String(number), properties: { status: next } }))
  return (
    <span class="act-buttons">
      {status !== 'accepted' && (
        <button
          type="button"
          disabled={isReadOnly}
          title={`waymark update ${number} --status accepted`}
          onClick={set('accepted')}
        >
          {en.knowledge.accept}
        </button>
      )}
      {status === 'proposed' && (
        <button
          type="button"
          disabled={isReadOnly}
          title={`waymark update ${number} --status deprecated`}
          onClick={set('deprecated')}
        >
          {en.knowledge.reject}
        </button>
      )}
      {status !== 'superseded' && !isBrief && (
        <button type="button" disabled={isReadOnly} onClick={() => void supersede(number)}>
          {en.knowledge.supersede}
        </button>
      )}
    </span>
  )
}

async function supersede(number: number): Promise<void> {
  const successor = await ask({
    title: en.knowledge.supersede,
    question: {
      text: en.knowledge.askSupersede(number),
      label: en.knowledge.supersede,
      isRequired: true,
    },
    command: (text) => `waymark decision supersede ${number} ${text.replace('#', '')}`,
    isDanger: false,
  })
  if (successor === undefined) return
  await attempt(() =>
    call('decision.supersede', { old: String(number), new: successor.replace('#', '') }),
  )
}

async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    say('bad', (error as Error).message)
  }
}
