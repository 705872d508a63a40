import { useRef, useState } from 'preact/hooks'
import type { Output } from '../../api.ts'
import { call } from '../../data/call.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { toAddress } from '../../shell/router.ts'
import { useKeys } from '../../shell/keys/use-keys.ts'
import { en } from '../../text/en.ts'
import { Reasons } from './reasons.tsx'
import { Reserved } from './reserved.tsx'
import { scrollToLine, Source } from './source.tsx'

export type ShownFile = Output<'code.show'>
export type Region = ShownFile['regions'][number]

/** The source of a file with its reasons beside the lines that they are about. */
export function SourcePage({ path }: { readonly path: string }) {
  const loaded = useLoad((signal) => call('code.show', { path }, { signal }), path, {
    when: (type) => type === '*' || type.startsWith('annotation.'),
  })
  return (
    <section class="source-page" aria-label={path}>
      <p class="back">
        <a href={toAddress('code')}>← {en.code.allFiles}</a>
      </p>
      <h2 class="mono">{path}</h2>
      <Reserved path={path} />
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
        return
      }
    }
  useKeys([
    { keys: 'n', label: en.code.next, run: step(1) },
    { keys: 'Shift+n', label: en.code.previous, run: step(-1) },
    {
      keys: '] d',
      label: en.code.nextDrifted,
      run: step(1, ({ freshness }) => freshness.state !== 'fresh'),
    },
  ])
  return (
    <>
      <p class="muted">
        {en.code.lines(file.lines.length)} ·{' '}
        {regions.length === 0 ? en.code.noReasons : en.code.reasons(regions.length)}
      </p>
      <div ref={place} class="source-columns">
        <Source file={file} regions={regions} current={current} />
        <Reasons regions={regions} current={current} again={again} />
      </div>
    </>
  )
}
