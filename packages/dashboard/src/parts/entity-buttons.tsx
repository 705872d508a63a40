import { ask } from '../acts/ask.ts'
import { call } from '../data/call.ts'
import { type NoticeAction, say } from '../data/notices.ts'
import { me } from '../data/session.ts'
import { useKeys } from '../shell/keys/use-keys.ts'
import { en } from '../text/en.ts'

interface Props {
  readonly number: number
  readonly status: unknown
  /** Only accepting and rejecting. */
  readonly isBrief?: boolean
}

/** Accepting, rejecting and superseding a decision, by mouse and by key; what was done is told as a command. */
export function DecisionActs({ number, status, isBrief = false }: Props) {
  const isReadOnly = me.value?.read_only === true
  const acts = actsOn({ number, status, isBrief })
  useKeys(
    isBrief || isReadOnly ? [] : acts.map(({ key, label, run }) => ({ keys: key, label, run })),
  )
  return (
    <span class="act-buttons">
      {acts.map(({ key, label, run }) => (
        <button
          key={key}
          type="button"
          disabled={isReadOnly}
          title={isReadOnly ? en.acts.readOnly : isBrief ? undefined : key}
          onClick={run}
        >
          {label}
        </button>
      ))}
    </span>
  )
}

function actsOn({ number, status, isBrief = false }: Props) {
  const accept = () => void change(number, 'accepted', status)
  const reject = () => void change(number, 'deprecated', status)
  return [
    ...(status === 'accepted' ? [] : [{ key: 'a', label: en.knowledge.accept, run: accept }]),
    ...(status === 'proposed' ? [{ key: 'Shift+r', label: en.knowledge.reject, run: reject }] : []),
    ...(status === 'superseded' || isBrief
      ? []
      : [{ key: 's', label: en.knowledge.supersede, run: () => void supersede(number) }]),
  ]
}

async function change(number: number, next: string, before: unknown): Promise<void> {
  const set = (status: string) =>
    call('entity.update', { id: String(number), properties: { status } })
  const undo = () => void attempt(() => set(String(before)), en.acts.undone)
  await attempt(
    () => set(next),
    `waymark update ${number} --status ${next}`,
    typeof before === 'string' ? [{ label: en.acts.undo, run: undo }] : [],
  )
}

async function supersede(number: number): Promise<void> {
  const toCommand = (text: string): string =>
    `waymark decision supersede ${number} ${text.replace('#', '')}`
  const successor = await ask({
    title: en.knowledge.supersede,
    question: {
      text: en.knowledge.askSupersede(number),
      label: en.knowledge.supersede,
      isRequired: true,
    },
    command: toCommand,
    isDanger: false,
  })
  if (successor === undefined) return
  await attempt(
    () => call('decision.supersede', { old: String(number), new: successor.replace('#', '') }),
    toCommand(successor),
  )
}

async function attempt(
  work: () => Promise<unknown>,
  done: string,
  actions: readonly NoticeAction[] = [],
): Promise<void> {
  try {
    await work()
    say('ok', done, actions)
  } catch (error) {
    say('bad', (error as Error).message)
  }
}
