import { useState } from 'preact/hooks'
import type { Region } from '../../acts/reason-acts.ts'
import type { Output } from '../../api.ts'
import { call } from '../../data/call.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { codeWords } from '../../text/view/code.ts'
import { toDiffLines } from './diff-lines.ts'

interface Props {
  readonly region: Region
  /** Few are shown at once; many are opened one by one. */
  readonly isOpen: boolean
}

/** The code that a reason was written for beside what it is today. */
export function ThenAndNow({ region, isOpen }: Props) {
  const [wasOpened, setOpened] = useState(isOpen)
  return (
    <details
      class="then-and-now"
      open={isOpen}
      onToggle={({ currentTarget }) => currentTarget.open && setOpened(true)}
    >
      <summary aria-keyshortcuts="v">{codeWords.thenAndNow}</summary>
      {wasOpened && <Drift region={region} />}
    </details>
  )
}

function Drift({ region: { file, record, ast_anchor } }: { readonly region: Region }) {
  const anchor = ast_anchor === undefined ? {} : { anchor: ast_anchor.name }
  const loaded = useLoad(
    (signal) => call('code.drift', { path: file, record, ...anchor }, { signal }),
    `${file} ${record} ${ast_anchor?.name ?? ''}`,
  )
  return (
    <LoadedView of={loaded}>
      {({ before, today }) =>
        before === undefined ? (
          <p class="muted">{codeWords.thenUnknown}</p>
        ) : (
          <CodeDiff before={before} today={today} />
        )
      }
    </LoadedView>
  )
}

type Text = NonNullable<Output<'code.drift'>['before']>

interface DiffProps {
  readonly before: Text
  readonly today: Text | undefined
}

function CodeDiff({ before, today }: DiffProps) {
  const cut = before.cut + (today?.cut ?? 0)
  const lines = toDiffLines(`${before.text}\n`, today === undefined ? '' : `${today.text}\n`)
  return (
    <>
      <pre class="code-diff" tabIndex={0}>
        {lines.map(({ kind, text }, at) => {
          if (kind === 'added') return <ins key={at}>{`+ ${text}\n`}</ins>
          if (kind === 'removed') return <del key={at}>{`- ${text}\n`}</del>
          return (
            <span key={at} class={kind}>
              {kind === 'same' ? `  ${text}\n` : `  … ${text}\n`}
            </span>
          )
        })}
      </pre>
      {cut > 0 && <p class="muted">{codeWords.cut(cut)}</p>}
    </>
  )
}
