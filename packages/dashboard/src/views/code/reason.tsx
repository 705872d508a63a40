import { performOn } from '../../acts/perform.ts'
import { intentOf, REASON_ACTS, type Region } from '../../acts/reason-acts.ts'
import { Buttons } from '../../parts/act-buttons.tsx'
import { Ago } from '../../parts/time.tsx'
import { toAddress } from '../../shell/router.ts'
import { codeWords } from '../../text/view/code.ts'
import { ThenAndNow } from './then-and-now.tsx'

const SHAPES = {
  fresh: ['●', 'ok'],
  moved: ['◐', 'ok'],
  drifted: ['◐', 'warn'],
  orphaned: ['▲', 'bad'],
  unknown: ['○', ''],
} as const

interface Props {
  readonly region: Region
  /** Whether keys act on it. */
  readonly isCurrent: boolean
  readonly isToday: boolean
  readonly showsDrift: boolean
  readonly again: () => void
}

/** One reason: what it says, whether the code still agrees, and what to do when it does not. */
export function Reason({ region, isCurrent, isToday, showsDrift, again }: Props) {
  const { reasoning, constraints = [], freshness, author, commit, lines, links = [] } = region
  const { kind, timestamp } = region
  const [shape, tone] = SHAPES[freshness.state]
  const isFresh = freshness.state === 'fresh'
  const acts =
    !isToday || (isFresh && !isCurrent) ? [] : REASON_ACTS.filter(({ applies }) => applies(region))
  return (
    <article class={`reason ${freshness.state}`}>
      <p class="row">
        <span class={`mark ${tone}`}>
          <span aria-hidden="true">{shape}</span> {codeWords[freshness.state]}
        </span>
        <span class="grow muted">
          {kind !== 'intent' && `${codeWords.kind[kind]} · `}
          {lines !== undefined && `${lines.start}–${lines.end}`}
        </span>
        <Ago at={Date.parse(timestamp)} />
      </p>
      <h3>{intentOf(region)}</h3>
      {reasoning !== undefined && <p>{reasoning}</p>}
      {constraints.map(({ text }) => (
        <p key={text}>
          <strong class="mark warn">{codeWords.mustHold}</strong> {text}
        </p>
      ))}
      <Corrections region={region} />
      <p class="muted">
        {codeWords.by(author ?? '', commit.slice(0, 8))}
        {links.map(({ id, number, title }) => (
          <a key={id} href={toAddress('k', number ?? id)}>
            {' '}
            {number === undefined ? id.slice(0, 8) : `#${number}`} {title}
          </a>
        ))}
      </p>
      {freshness.changed_by !== undefined && freshness.changed_by.length > 0 && (
        <p class="muted">
          {codeWords.changedBy}{' '}
          {freshness.changed_by
            .map((change) => `${change.commit.slice(0, 8)} ${change.subject}`)
            .join(', ')}
        </p>
      )}
      {isToday && !isFresh && <ThenAndNow region={region} isOpen={showsDrift} />}
      <Buttons
        acts={acts}
        of={region}
        onAct={(act) => void performOn(act, region).then((isDone) => isDone && again())}
      />
    </article>
  )
}

/** What was said of it later; the original stays readable. */
function Corrections({ region: { intent, corrections = [] } }: Pick<Props, 'region'>) {
  return (
    <>
      {corrections.map(({ correction_type: type, field, correction_text, author, timestamp }) => (
        <p key={`${timestamp} ${correction_text}`} class="correction">
          <span class={type === 'flag' ? 'mark warn' : 'muted'}>
            {codeWords.corrected[type](author)}
          </span>{' '}
          {type === 'amend' && field === 'intent' ? <del>{intent}</del> : correction_text}
        </p>
      ))}
    </>
  )
}
