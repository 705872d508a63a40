import type { RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Segmented } from '../../parts/segmented.tsx'
import { go, route, setQuery, toAddress } from '../../shell/router.ts'
import { useKeys } from '../../shell/keys/use-keys.ts'
import { en } from '../../text/en.ts'
import { graphWords } from '../../text/view/graph.ts'
import { Impact } from '../knowledge/impact.tsx'
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
  const [showsImpact, setImpact] = useState(false)
  const toggleImpact = (): void => setImpact((before) => !before)
  const end = useRef<HTMLInputElement>(null)
  const to = route.value.query.get('to') ?? ''
  useKeys([
    { keys: 'p', label: graphWords.pathTo, run: () => end.current?.focus() },
    { keys: 'i', label: graphWords.impact, run: toggleImpact },
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
  const hasRoot = !Number.isNaN(root)
  return (
    <>
      <div class="filters">
        <NumberBox
          label={graphWords.root}
          onNumber={(text) => text !== '' && go(toAddress('graph', text))}
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
        {hasRoot && (
          <NumberBox
            label={graphWords.pathTo}
            initial={to}
            inner={end}
            onNumber={(text) => setQuery({ to: text })}
          />
        )}
        {hasRoot && (
          <button
            type="button"
            aria-pressed={showsImpact}
            aria-keyshortcuts="i"
            onClick={toggleImpact}
          >
            {graphWords.impact}
          </button>
        )}
      </div>
      {hasRoot && showsImpact && (
        <div class="panel panel-body">
          <Impact number={root} />
        </div>
      )}
      {hasRoot && to !== '' && <PathPanel from={root} to={to} />}
      {hasRoot ? <Focus key={root} root={root} depth={depth} /> : <ChooseRoot />}
    </>
  )
}

interface NumberBoxProps {
  readonly label: string
  readonly initial?: string
  readonly inner?: RefObject<HTMLInputElement | null>
  /** Called on Enter with what is written, without `#`. */
  readonly onNumber: (text: string) => void
}

function NumberBox({ label, initial = '', inner, onNumber }: NumberBoxProps) {
  const own = useRef<HTMLInputElement>(null)
  const box = inner ?? own
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onNumber(box.current?.value.trim().replace('#', '') ?? '')
      }}
    >
      <input
        ref={box}
        type="search"
        aria-label={label}
        placeholder={label}
        defaultValue={initial}
      />
    </form>
  )
}
