import { useEffect, useRef, useState } from 'preact/hooks'
import { performOn } from '../../acts/perform.ts'
import { REASON_ACTS, type Region } from '../../acts/reason-acts.ts'
import type { Output } from '../../api.ts'
import { call } from '../../data/call.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { go, route, setQuery, toAddress } from '../../shell/router.ts'
import type { KeyAction } from '../../shell/keys/keys.ts'
import { useKeys } from '../../shell/keys/use-keys.ts'
import { codeWords } from '../../text/view/code.ts'
import { AtCommit } from './commits.tsx'
import { formatLines, parseLines } from './lines.ts'
import { Reasons } from './reasons.tsx'
import { Reserved } from './reserved.tsx'
import { scrollToLine, Source } from './source.tsx'

export type ShownFile = Output<'code.show'>

/** The source of a file with its reasons beside the lines that they are about. */
export function SourcePage({ path }: { readonly path: string }) {
  const { query } = route.value
  const rev = query.get('rev') ?? ''
  const blame = query.get('blame') === '1'
  const input = { path, blame, ...(rev !== '' && { rev }) }
  const loaded = useLoad(
    (signal) => call('code.show', input, { signal }),
    JSON.stringify([path, rev, blame]),
    { when: (type) => type === '*' || type.startsWith('annotation.') },
  )
  return (
    <section class="source-page" aria-label={path}>
      <p class="back">
        <a href={toAddress('code')}>← {codeWords.allFiles}</a>
      </p>
      <h2 class="mono">{path}</h2>
      {rev === '' && <Reserved path={path} />}
      <LoadedView of={loaded}>
        {(file) => (
          <SourceWithReasons
            file={file}
            again={loaded.state === 'ready' ? loaded.again : () => {}}
          />
        )}
      </LoadedView>
    </section>
  )
}

function SourceWithReasons({
  file,
  again,
}: {
  readonly file: ShownFile
  readonly again: () => void
}) {
  const [current, setCurrent] = useState<number | undefined>(undefined)
  const place = useRef<HTMLDivElement>(null)
  const { hash } = route.value
  const picked = parseLines(hash)
  const isBlame = file.blame !== undefined
  useEffect(() => {
    if (picked !== undefined) scrollToLine(place.current, picked.start)
  }, [file])
  const regions = file.regions.toSorted(
    (one, other) => (one.lines?.start ?? 0) - (other.lines?.start ?? 0),
  )
  const step =
    (by: number, isWanted: (region: Region) => boolean = () => true) =>
    (): void => {
      const from = current ?? (by > 0 ? -1 : regions.length)
      for (let next = from + by; next >= 0 && next < regions.length; next += by) {
        const region = regions[next]
        if (region === undefined || !isWanted(region)) continue
        setCurrent(next)
        scrollToLine(place.current, region.lines?.start ?? 1)
        if (region.lines !== undefined) go(formatLines(region.lines), { replace: true })
        return
      }
    }
  const toggleBlame = (): void => setQuery({ blame: isBlame ? '' : '1' })
  const chosen = current === undefined ? undefined : regions[current]
  // What is said of an earlier version cannot be changed there.
  const isToday = file.rev === undefined
  const actKeys = (region: Region): readonly KeyAction[] =>
    REASON_ACTS.filter(({ applies }) => applies(region)).map((act) => ({
      keys: act.key,
      label: act.label,
      run: () => void performOn(act, region).then((isDone) => isDone && again()),
    }))
  const isDrifted = ({ freshness }: Region): boolean => freshness.state !== 'fresh'
  useKeys([
    ...(chosen === undefined || !isToday ? [] : actKeys(chosen)),
    { keys: 'b', label: codeWords.blame, run: toggleBlame },
    { keys: 'n', label: codeWords.next, run: step(1) },
    { keys: 'Shift+n', label: codeWords.previous, run: step(-1) },
    { keys: '] d', label: codeWords.nextDrifted, run: step(1, isDrifted) },
    { keys: '[ d', label: codeWords.previousDrifted, run: step(-1, isDrifted) },
  ])
  return (
    <>
      {file.rev !== undefined && <AtCommit path={file.file} rev={file.rev} isBlame={isBlame} />}
      <p class="muted row">
        <span class="grow">
          {codeWords.lines(file.lines.length)} ·{' '}
          {regions.length === 0 ? codeWords.noReasons : codeWords.reasons(regions.length)}
        </span>
        <button type="button" aria-pressed={isBlame} onClick={toggleBlame}>
          {codeWords.blame}
        </button>
      </p>
      <div ref={place} class="source-columns">
        <Source file={file} regions={regions} current={current} picked={picked} />
        <Reasons regions={regions} current={current} isToday={isToday} again={again} />
      </div>
    </>
  )
}
