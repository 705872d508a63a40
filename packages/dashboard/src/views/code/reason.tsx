import { ask } from '../../acts/ask.ts'
import { option } from '../../acts/act.ts'
import type { Input } from '../../api.ts'
import { call } from '../../data/call.ts'
import { say } from '../../data/notices.ts'
import { me } from '../../data/session.ts'
import { Ago } from '../../parts/time.tsx'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import type { Region } from './source-page.tsx'

const SHAPES = {
  fresh: ['●', 'ok'],
  moved: ['◐', 'ok'],
  drifted: ['◐', 'warn'],
  orphaned: ['▲', 'bad'],
  unknown: ['○', ''],
} as const

/** One reason: what it says, whether the code still agrees, and what to do when it does not. */
export function Reason({ region, again }: { readonly region: Region; readonly again: () => void }) {
  const {
    intent,
    reasoning,
    constraints = [],
    freshness,
    author,
    commit,
    lines,
    links = [],
    kind,
    timestamp,
  } = region
  const [shape, tone] = SHAPES[freshness.state]
  return (
    <article class={`reason ${freshness.state}`}>
      <p class="row">
        <span class={`mark ${tone}`}>
          <span aria-hidden="true">{shape}</span> {en.code[freshness.state]}
        </span>
        <span class="grow muted">
          {kind !== 'intent' && `${en.code.kind[kind]} · `}
          {lines !== undefined && `${lines.start}–${lines.end}`}
        </span>
        <Ago at={Date.parse(timestamp)} />
      </p>
      <h3>{intent}</h3>
      {reasoning !== undefined && <p>{reasoning}</p>}
      {constraints.map(({ text }) => (
        <p key={text}>
          <strong class="mark warn">{en.code.mustHold}</strong> {text}
        </p>
      ))}
      <p class="muted">
        {en.code.by(author ?? '', commit.slice(0, 8))}
        {links.map(({ id, number, title }) => (
          <a key={id} href={toAddress('k', number ?? id)}>
            {' '}
            {number === undefined ? id.slice(0, 8) : `#${number}`} {title}
          </a>
        ))}
      </p>
      {freshness.changed_by !== undefined && freshness.changed_by.length > 0 && (
        <p class="muted">
          {en.code.changedBy}{' '}
          {freshness.changed_by
            .map((change) => `${change.commit.slice(0, 8)} ${change.subject}`)
            .join(', ')}
        </p>
      )}
      {freshness.state !== 'fresh' && <ReasonActs region={region} again={again} />}
    </article>
  )
}

function ReasonActs({ region, again }: { readonly region: Region; readonly again: () => void }) {
  const { record, file, ast_anchor } = region
  const act =
    (type: 'flag' | 'amend' | 'remove', title: string, text: string) => async (): Promise<void> => {
      const answer = await ask({
        title,
        question: {
          text,
          label: title,
          isRequired: true,
          ...(type === 'amend' && { initial: region.intent }),
        },
        command: (reason) =>
          `waymark code correct ${file}${option('anchor', ast_anchor?.name ?? '')} --type ${type}${type === 'amend' ? option('replacement', reason) : ''}${option('reason', reason)}`,
        isDanger: type === 'remove',
      })
      if (answer === undefined) return
      const input: Input<'code.correct'> = {
        path: file,
        record,
        type,
        reason: answer,
        ...(ast_anchor !== undefined && { anchor: ast_anchor.name }),
        ...(type === 'amend' && {
          field: 'intent' as const,
          value: region.intent,
          replacement: answer,
        }),
      }
      try {
        await call('code.correct', input)
        again()
      } catch (error) {
        say('bad', (error as Error).message)
      }
    }
  const isReadOnly = me.value?.read_only === true
  return (
    <p class="act-buttons">
      <button
        type="button"
        disabled={isReadOnly}
        onClick={() => void act('amend', en.code.amend, en.code.askAmend)()}
      >
        {en.code.amend}
      </button>
      <button
        type="button"
        class="danger"
        disabled={isReadOnly}
        onClick={() => void act('remove', en.code.withdraw, en.code.askWithdraw)()}
      >
        {en.code.withdraw}
      </button>
    </p>
  )
}
