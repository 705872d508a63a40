import type {
  AppBoard,
  AppCard,
  AppColumn,
} from '../../../waymark/src/dialects/waymark/apps/views.ts'
import { mount, type PageProps } from './app.tsx'
import { words } from './words.ts'
import './apps.css'

type Props = PageProps<AppBoard>

const MINUTE = 60_000

function Board(props: Props) {
  const { columns } = props.data
  if (columns.every(({ total }) => total === 0)) return <p class="muted">{words.empty}</p>
  return (
    <div class="columns">
      {columns.map((column) => (
        <Column key={column.name} column={column} {...props} />
      ))}
    </div>
  )
}

function Column({ column, ...props }: Props & { readonly column: AppColumn }) {
  const { name, total, cards } = column
  return (
    <section aria-label={words.columns[name]}>
      <h2>
        {words.columns[name]} <span class="muted">{total}</span>
      </h2>
      <ul>
        {cards.map((card) => (
          <li key={card.number} class="card">
            <p>
              <span class="muted">#{card.number}</span> {card.title}
            </p>
            <Facts card={card} now={props.data.now} />
            <Acts card={card} {...props} />
          </li>
        ))}
      </ul>
      {total > cards.length && <p class="muted">{words.more(total - cards.length)}</p>}
    </section>
  )
}

function Facts({ card, now }: { readonly card: AppCard; readonly now: number }) {
  const { priority, holder, lease_until, waits_for, questions, due_date, labels } = card
  const left =
    lease_until === null ? undefined : Math.max(0, Math.round((lease_until - now) / MINUTE))
  const facts = [
    priority < 2 && words.priorities[priority],
    holder !== null && words.heldBy(holder),
    holder !== null && left !== undefined && words.minutes(left),
    waits_for.length > 0 && words.waitsFor(waits_for),
    questions > 0 && words.questions(questions),
    due_date !== null && words.due(due_date),
    ...labels,
  ].filter((fact) => typeof fact === 'string')
  return facts.length === 0 ? null : <p class="facts">{facts.join(' · ')}</p>
}

function Acts({ card: { number, title, column }, host, act }: Props & { readonly card: AppCard }) {
  if (column === 'ready') {
    return (
      <button type="button" onClick={() => void host.say(words.doThisMessage(number, title))}>
        {words.doThis}
      </button>
    )
  }
  if (column !== 'to_verify') return null
  const args = { ids: [String(number)], action: 'verify' }
  return (
    <button
      type="button"
      onClick={() => act({ tool: 'task_update', args, done: words.verified(number) })}
    >
      {words.verify}
    </button>
  )
}

mount<AppBoard>({ name: 'board', tool: 'show_board', Page: Board })
