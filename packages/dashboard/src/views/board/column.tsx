import { useComputed, useSignal } from '@preact/signals'
import { perform } from '../../acts/perform.ts'
import type { Column as ColumnName } from '../../data/task/task.ts'
import { listOf, taskAt, tasksVersion, totals } from '../../data/task/tasks.ts'
import { Windowed } from '../../parts/windowed.tsx'
import { en } from '../../text/en.ts'
import { formatNumber } from '../../text/plural.ts'
import { aim, dragged } from './board-state.ts'
import { Card } from './card.tsx'
import { dropOn } from './drop.ts'
import type { Line } from './groups.ts'

const CARD_HEIGHT = 84

interface Props {
  readonly name: ColumnName
  readonly lines: readonly Line[]
  readonly current: number | undefined
  readonly isFiltered: boolean
  readonly isOpen: boolean
  readonly onPoint: (number: number) => void
  readonly onHover: (isHovered: boolean) => void
  readonly onDropped: () => void
}

/** A column is a fact about its tasks. Its count is of all tasks, not of those that are shown. */
export function Column({ name, lines, current, isFiltered, isOpen, onPoint, ...on }: Props) {
  const isOver = useSignal(false)
  const drop = useComputed(() => {
    const task = dragged.value === undefined ? undefined : taskAt(dragged.value)
    return task === undefined ? undefined : dropOn(task, name, aim.value)
  }).value
  const all = totals.value[name] ?? listOf(name).value.length
  const cards = lines.filter((line) => 'number' in line).length
  return (
    <section
      class={`column${isOver.value && drop !== undefined ? ' over' : ''}${isOpen ? ' open' : ''}`}
      aria-labelledby={`column-${name}`}
      onPointerEnter={() => on.onHover(true)}
      onPointerLeave={() => on.onHover(false)}
      onDragOver={(event) => {
        if (drop?.act !== undefined) event.preventDefault()
        isOver.value = true
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault()
        isOver.value = false
        const task = dragged.peek() === undefined ? undefined : taskAt(dragged.peek() ?? 0)
        if (task === undefined || drop?.act === undefined) return
        on.onDropped()
        void perform(drop.act, task)
      }}
    >
      <header>
        <h2 id={`column-${name}`}>{en.columns[name]}</h2>
        <span class="muted">{isFiltered ? en.board.shown(cards, all) : formatNumber(all)}</span>
      </header>
      {drop !== undefined && (
        <p class={drop.act === undefined ? 'drop-hint none' : 'drop-hint'}>{drop.text}</p>
      )}
      {lines.length === 0 ? (
        <p class="empty">{emptyText(name)}</p>
      ) : (
        <Windowed
          count={lines.length}
          height={CARD_HEIGHT}
          label={en.columns[name]}
          shown={
            current === undefined
              ? undefined
              : lines.findIndex((line) => 'number' in line && line.number === current)
          }
        >
          {(index) => <BoardLine line={lines[index]} current={current} onPoint={onPoint} />}
        </Windowed>
      )}
    </section>
  )
}

interface LineProps extends Pick<Props, 'current' | 'onPoint'> {
  readonly line: Line | undefined
}

function BoardLine({ line, current, onPoint }: LineProps) {
  if (line === undefined) return null
  if ('head' in line) {
    return (
      <h3 class="group-head">
        <span class="clip">{line.head}</span> <span class="muted">{line.size}</span>
      </h3>
    )
  }
  const { number } = line
  return (
    <Card
      key={number}
      number={number}
      isCurrent={number === current}
      onPoint={() => onPoint(number)}
    />
  )
}

/** An empty column says why, where that is not obvious. */
function emptyText(name: ColumnName): string {
  void tasksVersion.value
  const waiting = listOf('waiting').value.length
  return name === 'ready' && waiting > 0 ? en.board.emptyReady(waiting) : en.board.emptyColumn
}
