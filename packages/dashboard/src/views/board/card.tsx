import { useComputed, useSignal } from '@preact/signals'
import type { Task } from '../../data/task/task.ts'
import { changedAt, taskCell } from '../../data/task/tasks.ts'
import { LeaseBar } from '../../parts/lease-bar.tsx'
import { Who } from '../../parts/agent/who.tsx'
import { go, toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { aim, dragged, peeked, selection, toggleSelected } from './board-state.ts'

/** Longer than the tint takes to fade. */
const TINT_MS = 1200

interface Props {
  readonly number: number
  readonly isCurrent: boolean
  readonly onPoint: () => void
}

/** One task. It reads one signal, so that a change draws this card and no other. */
export function Card({ number, isCurrent, onPoint }: Props) {
  const task = taskCell(number)?.value
  const isDragging = useSignal(false)
  if (task === undefined) return null
  const isSelected = selection.value.has(number)
  const aimed = useComputed(() => (aim.value?.number === number ? ` aimed-${aim.value.side}` : ''))
  const isTinted = Date.now() - (changedAt.get(number) ?? 0) < TINT_MS
  return (
    <article
      class={`card${isCurrent ? ' current' : ''}${isSelected ? ' selected' : ''}${isTinted ? ' tinted' : ''}${isDragging.value ? ' dragging' : aimed.value}${task.isGuess ? ' guess' : ''} ${priorityClass(task)}`}
      draggable
      onDragStart={(event) => {
        event.dataTransfer?.setData('text/plain', `#${number} ${task.title}`)
        dragged.value = number
        isDragging.value = true
      }}
      onDragOver={({ currentTarget, clientY }) => {
        if (dragged.peek() === undefined) return
        const { top, height } = currentTarget.getBoundingClientRect()
        const side = clientY < top + height / 2 ? 'before' : 'after'
        const { number: aimed, side: onSide } = aim.peek() ?? {}
        if (aimed !== number || onSide !== side) aim.value = { side, number }
      }}
      onDragEnd={() => {
        dragged.value = undefined
        aim.value = undefined
        isDragging.value = false
      }}
      onClick={(event) => {
        onPoint()
        if (event.shiftKey || event.metaKey || event.ctrlKey) toggleSelected(number)
        else peeked.value = number
      }}
      onDblClick={() => go(toAddress('t', number))}
    >
      <a
        class="card-title title-link"
        href={toAddress('t', number)}
        draggable={false}
        onClick={stayHere}
      >
        {task.title}
      </a>
      <Facts task={task} />
    </article>
  )
}

/** A click peeks; only a click with a modifier follows the link. */
function stayHere(event: MouseEvent): void {
  if (!event.metaKey && !event.ctrlKey) event.preventDefault()
}

function Facts({ task }: { readonly task: Task }) {
  const {
    number,
    holder,
    assignee,
    labels,
    waitsFor,
    parts,
    due,
    questions,
    isParked,
    deferUntil,
  } = task
  return (
    <p class="card-facts">
      <span class="number">#{number}</span>
      {isParked && <span class="mark bad">▲ {en.states.parked}</span>}
      {holder !== undefined && (
        <span class="card-holder">
          <Who name={holder.name} />
          <LeaseBar holder={holder} />
        </span>
      )}
      {holder === undefined && assignee !== undefined && <span class="muted">@{assignee}</span>}
      {questions > 0 && <span class="mark info">◇ {en.board.questions(questions)}</span>}
      {waitsFor.length > 0 && (
        <span class="muted" title={waitsFor.map((other) => `#${other}`).join(' ')}>
          {en.board.waitsFor(waitsFor.length)}
        </span>
      )}
      {deferUntil !== undefined && waitsFor.length === 0 && (
        <span class="muted">{en.board.putOff}</span>
      )}
      {parts !== undefined && <span class="muted">{en.board.parts(...parts)}</span>}
      {due !== undefined && <span class="card-due muted">{en.board.due(due)}</span>}
      {labels.slice(0, 2).map((label) => (
        <span key={label} class="chip">
          {label}
        </span>
      ))}
      {labels.length > 2 && <span class="muted">+{labels.length - 2}</span>}
    </p>
  )
}

function priorityClass({ priority }: Task): string {
  if (priority < 250) return 'urgent'
  return priority < 500 ? 'high' : ''
}
