import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { isLoaded } from '../../data/live/live.ts'
import { COLUMNS, type Column as ColumnName } from '../../data/task/task.ts'
import { taskAt } from '../../data/task/tasks.ts'
import { Skeleton } from '../../parts/loaded-view.tsx'
import { actedOn } from '../../shell/palette/palette-state.ts'
import { route, setQuery } from '../../shell/router.ts'
import { useKeys } from '../../shell/keys/use-keys.ts'
import { BoardBar } from './board-bar.tsx'
import { boardKeys } from './board-keys.ts'
import { dragged, peeked } from './board-state.ts'
import { Column } from './column.tsx'
import { ColumnTabs } from './column-tabs.tsx'
import { GROUPINGS, type Grouping } from './groups.ts'
import { Peek } from './peek.tsx'
import { useLines } from './use-lines.ts'

/** All tasks by where they stand. The filter, the grouping and the selected card are in the address. */
export function BoardView() {
  const { query } = route.value
  const filter = query.get('q') ?? ''
  const grouping = toGrouping(query.get('group'))
  const isHovered = useSignal(false)
  const isReleased = useSignal(false)
  const current = useSignal<number | undefined>(Number(query.get('sel')) || undefined)
  const isHeld = (isHovered.value && !isReleased.value) || dragged.value !== undefined
  const [lines, heldBack] = useLines(filter, grouping, isHeld)
  const shownColumn =
    toColumn(query.get('column')) ?? COLUMNS.find((name) => lines[name].length > 0) ?? 'ready'
  const point = (number: number | undefined): void => {
    current.value = number
    actedOn.value = number
  }
  useEffect(() => () => void (actedOn.value = undefined), [])
  useKeys(boardKeys({ lines, current: current.value, point, column: shownColumn }))
  if (!isLoaded.value) return <Skeleton />
  return (
    <div class="board-view">
      <BoardBar
        filter={filter}
        grouping={grouping}
        heldBack={heldBack}
        onShow={() => (isReleased.value = true)}
      />
      <ColumnTabs lines={lines} shown={shownColumn} onShow={(column) => setQuery({ column })} />
      <div class="board-columns">
        {COLUMNS.map((name) => (
          <Column
            key={name}
            name={name}
            lines={lines[name]}
            current={current.value}
            isFiltered={filter !== ''}
            isOpen={name === shownColumn}
            onPoint={point}
            onHover={(hovers) => {
              isHovered.value = hovers
              isReleased.value = false
            }}
            onDropped={() => (isReleased.value = true)}
          />
        ))}
        {peeked.value !== undefined && taskAt(peeked.value) !== undefined && (
          <Peek number={peeked.value} />
        )}
      </div>
      <p class="visually-hidden" aria-live="polite">
        {current.value === undefined
          ? ''
          : `#${current.value} ${taskAt(current.value)?.title ?? ''}`}
      </p>
    </div>
  )
}

function toGrouping(text: string | null): Grouping {
  return GROUPINGS.find((grouping) => grouping === text) ?? 'none'
}

function toColumn(text: string | null): ColumnName | undefined {
  return COLUMNS.find((column) => column === text)
}
