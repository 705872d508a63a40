import { useRef, useState } from 'preact/hooks'
import { Segmented } from '../../parts/segmented.tsx'
import { go, route, setQuery, toAddress } from '../../shell/router.ts'
import { useKeys } from '../../shell/keys/use-keys.ts'
import { en } from '../../text/en.ts'
import { graphWords } from '../../text/view/graph.ts'
import { ChooseRoot } from './choose-root.tsx'
import { Focus } from './focus.tsx'
import { LooseEnds } from './loose-ends.tsx'
import { GraphMap } from './map.tsx'
import { PathPanel } from './path-panel.tsx'
import { Whole } from './whole.tsx'

const DEPTHS = [1, 2, 3, 4] as const

const MODES = ['focus', 'map', 'whole', 'loose'] as const

/** One thing and what is around it, or groups, or everything; never everything first. */
export function GraphView() {
  const asked = route.value.query.get('mode')
  const mode = MODES.find((name) => name === asked) ?? 'focus'
  return (
    <div class="graph-view">
      <Segmented
        label={en.views.graph}
        choices={MODES}
        chosen={mode}
        nameOf={(name) => (name === 'loose' ? graphWords.loose : graphWords.modes[name])}
        onChoose={(name) => go(toAddress('graph', '', name === 'focus' ? {} : { mode: name }))}
      />
      {mode === 'focus' && <FocusMode />}
      {mode === 'map' && <GraphMap />}
      {mode === 'whole' && <Whole />}
      {mode === 'loose' && <LooseEnds />}
    </div>
  )
}

function FocusMode() {
  const root = Number.parseInt(route.value.rest, 10)
  const depth = Math.min(4, Math.max(1, Number(route.value.query.get('depth')) || 2))
  const [written, setWritten] = useState('')
  const end = useRef<HTMLInputElement>(null)
  const to = route.value.query.get('to') ?? ''
  useKeys([
    { keys: 'p', label: graphWords.pathTo, run: () => end.current?.focus() },
    {
      keys: '+',
      label: graphWords.deeper,
      run: () => setQuery({ depth: String(Math.min(4, depth + 1)) }),
    },
    {
      keys: '-',
      label: graphWords.shallower,
      run: () => setQuery({ depth: String(Math.max(1, depth - 1)) }),
    },
  ])
  return (
    <>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          const number = Number.parseInt(written.replace('#', ''), 10)
          if (!Number.isNaN(number)) go(toAddress('graph', number))
        }}
      >
        <input
          aria-label={graphWords.root}
          placeholder={graphWords.root}
          value={written}
          onInput={({ currentTarget }) => setWritten(currentTarget.value)}
        />
        <span class="muted" aria-hidden="true">
          {graphWords.depth}
        </span>
        <Segmented
          label={graphWords.depth}
          choices={DEPTHS}
          chosen={depth}
          nameOf={String}
          onChoose={(steps) => setQuery({ depth: String(steps) })}
        />
      </form>
      {!Number.isNaN(root) && (
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault()
            setQuery({ to: end.current?.value.trim().replace('#', '') ?? '' })
          }}
        >
          <input
            ref={end}
            type="search"
            aria-label={graphWords.pathTo}
            placeholder={graphWords.pathTo}
            defaultValue={to}
          />
        </form>
      )}
      {!Number.isNaN(root) && to !== '' && <PathPanel from={root} to={to} />}
      {Number.isNaN(root) ? <ChooseRoot /> : <Focus key={root} root={root} depth={depth} />}
    </>
  )
}
