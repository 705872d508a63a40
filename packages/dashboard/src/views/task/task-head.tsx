import type { Output } from '../../api.ts'
import { perform } from '../../acts/perform.ts'
import { actsOn } from '../../acts/task-acts.ts'
import { taskAt } from '../../data/task/tasks.ts'
import { copy } from '../../parts/command.tsx'
import { ActButtons } from '../../parts/act-buttons.tsx'
import { LeaseBar } from '../../parts/lease-bar.tsx'
import { stateOf, StateMark } from '../../parts/state-mark.tsx'
import { TaskLink } from '../../parts/text/text-link.tsx'
import { Who } from '../../parts/agent/who.tsx'
import { toAddress } from '../../shell/router.ts'
import { actedOn, openActs } from '../../shell/palette/palette-state.ts'
import { useKeys } from '../../shell/keys/use-keys.ts'
import { en } from '../../text/en.ts'

export type FullTask = Output<'task.get'>

/** The rest is one click or one key away. */
const BUTTONS = [
  'verify',
  'take',
  'release',
  'take-back',
  'complete',
  'reopen',
  'priority',
  'assign',
  'split',
  'write',
  'cancel',
]

interface Props {
  readonly task: FullTask
  readonly isPage: boolean
}

export function TaskHead({ task, isPage }: Props) {
  const row = taskAt(task.number)
  const acts = row === undefined ? [] : actsOn(row)
  useKeys(
    isPage && row !== undefined
      ? [
          ...acts.map((act) => ({
            keys: act.key,
            label: act.label,
            run: () => void perform(act, row),
          })),
          {
            keys: 'y',
            label: en.acts.copyLink,
            run: () => void copy(location.origin + toAddress('t', task.number)),
          },
          {
            keys: 'Shift+y',
            label: en.acts.copyCommand,
            run: () => void copy(`waymark get ${task.number}`),
          },
        ]
      : [],
  )
  return (
    <header class="task-head">
      <h2 class="task-title">
        <span class="number">#{task.number}</span> {task.title}
      </h2>
      <p class="task-facts">
        {row !== undefined && <StateMark state={stateOf(row)} />}
        {row?.holder !== undefined && (
          <a class="title-link" href={toAddress('agents', row.holder.name)}>
            <Who name={row.holder.name} />
          </a>
        )}
        {row?.holder !== undefined && <LeaseBar holder={row.holder} />}
        {task.lease !== undefined && <span class="muted">{en.task.fence(task.lease.fence)}</span>}
        <span class="chip">{en.priorities[task.priority] ?? `p${task.priority}`}</span>
        {task.assignee !== undefined && <span class="muted">@{task.assignee}</span>}
        {task.due_date !== undefined && <span class="muted">{en.board.due(task.due_date)}</span>}
        {task.labels.map((label) => (
          <span key={label} class="chip">
            {label}
          </span>
        ))}
        {task.parents.map(({ number, title }) => (
          <span key={number} class="muted">
            {en.task.parents} <TaskLink number={number} title={title} />
          </span>
        ))}
      </p>
      <p class="act-buttons">
        <ActButtons number={task.number} acts={BUTTONS} />
        <button
          type="button"
          aria-keyshortcuts="."
          onClick={() => {
            actedOn.value = task.number
            openActs()
          }}
        >
          {en.acts.all} <kbd>.</kbd>
        </button>
      </p>
    </header>
  )
}
