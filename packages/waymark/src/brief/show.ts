import { describeTrust } from '../agent/trust-text.ts'
import { type Block, joined, type Line, line, own, titled } from '../core/show.ts'
import { toPriorityName } from '../task/task.ts'
import type { BriefPart } from './brief.ts'
import type { Brief } from './operations.ts'

type Authored = Brief['questions'][number]

/**
 * A brief: the next step on the first line, then one line for each thing. Terminal and model get the same lines, since
 * hosts read the output of the command too.
 */
export function showBriefLines(brief: Brief): readonly Block[] {
  const { leases, messages, ready, decisions, code, questions, changes, left_out } = brief
  const { reserved = [], notes = [], agents = [], changed_twice: twice = [] } = brief
  const part = (name: BriefPart, heading: string, items: readonly Line[]) =>
    showPart(heading, items, left_out[name] ?? 0)
  return [
    line`${brief.next}`,
    ...part('leases', 'You hold', leases.map(showLease)),
    ...part('messages', 'Unread', messages.map(showUnread)),
    ...showPart('The owner has not answered yet', brief.asked_owner.map(showAsked), 0),
    ...part('reserved', 'Reserved by others', reserved.map(showReserved)),
    ...part('notes', 'Notes that matter here', notes.map(showNote)),
    ...part('ready', 'Ready', ready.map(showReady)),
    ...part('decisions', 'Decisions that matter here', decisions.map(showDecision)),
    ...part('code', 'About this code', code.map(showCode)),
    ...part('changed_twice', 'Changed on both sides', twice.map(showChangedTwice)),
    ...part('questions', 'Open questions', questions.map(showNamed)),
    ...part('agents', 'Also here', agents.map(showAgent)),
    ...part(
      'changes',
      brief.since === undefined ? 'Lately' : `Since ${brief.since.slice(0, 16)}Z`,
      changes.map(showChange),
    ),
    ...(brief.changes_after === undefined
      ? []
      : [line`all changes: events since ${brief.changes_after}`]),
    line`events since: ${brief.cursor}`,
  ]
}

function showPart(heading: string, items: readonly Line[], leftOut: number): readonly Line[] {
  if (items.length + leftOut === 0) return []
  const rest = leftOut === 0 ? [] : [line`- and ${leftOut} more`]
  return [line`${own(heading)}:`, ...items.map((item) => line`- ${item}`), ...rest]
}

function showLease({ fence, seconds_left, ...task }: Brief['leases'][number]): Line {
  return line`${showNamed(task)} · fence ${fence} · ${duration(seconds_left)} left`
}

function showUnread({ id, from, from_owner, severity, text }: Brief['messages'][number]): Line {
  return line`${id} ${severity} from ${from_owner === true ? own('the owner') : titled(from)}: ${text}`
}

function showAsked({ id, text }: Brief['asked_owner'][number]): Line {
  return line`message ${id}: ${text}`
}

function showReserved(reserved: NonNullable<Brief['reserved']>[number]): Line {
  const { path, by, number, title, until } = reserved
  return line`${titled(path)} by ${titled(by)} for #${number} ${titled(title)} until ${until}`
}

function showNote(note: NonNullable<Brief['notes']>[number]): Line {
  const { number, title, kind, answer, ...author } = note
  const facts = [
    titled(kind?.replaceAll('_', ' ')),
    answer === undefined ? undefined : line`answer: ${titled(answer)}`,
    showSource(author),
  ]
  return joined([line`#${number} ${titled(title)}`, ...facts], ' · ')
}

function showChangedTwice(changed: NonNullable<Brief['changed_twice']>[number]): Line {
  const { number, title, fields } = changed
  return line`#${number} ${titled(title)} · ${joined(fields)} · waymark resolve ${number} keep|other|both`
}

function showAgent(agent: NonNullable<Brief['agents']>[number]): Line {
  const { name, number, title, owner: isOwner, gone: isGone, other_clone: isElsewhere } = agent
  const { reserves = [] } = agent
  const paths =
    reserves.length === 0 ? undefined : line`reserves ${joined(reserves.map(titled), ' ')}`
  const held = number === undefined ? undefined : joined([line`#${number} ${titled(title)}`, paths])
  if (isOwner === true) return joined([line`the owner (${titled(name)})`, held], ': ')
  const place = isElsewhere === true ? ', in another clone' : isGone === true ? ', gone' : ''
  return line`${titled(name)}${own(place)}: ${held ?? own('no task')}`
}

function showReady({ number, title, priority, ...task }: Brief['ready'][number]): Line {
  const { due_date, assignee } = task
  return joined(
    [
      line`#${number} ${titled(title)}`,
      own(toPriorityName(priority)),
      due_date && line`due ${titled(due_date)}`,
      assignee && line`for ${titled(assignee)}`,
      showSource(task),
    ],
    ' · ',
  )
}

function showDecision(decision: Brief['decisions'][number]): Line {
  const { number, title, status, by, received, code, updated } = decision
  const facts = [status, ...describeTrust({ ...received, by, code }), updated.slice(0, 10)]
  return line`#${number} ${titled(title)} · ${joined(facts)}`
}

function showCode({ file, at, kind, text, state, by }: Brief['code'][number]): Line {
  const place = joined([titled(file), titled(at)], ' ')
  return line`${place} [${kind}] ${titled(text)} · ${joined([state, ...describeTrust({ by })])}`
}

function showNamed({ number, title, ...author }: Authored): Line {
  return joined([line`#${number} ${titled(title)}`, showSource(author)], ' · ')
}

function showChange({ number, title, what, ...author }: Brief['changes'][number]): Line {
  const source = showSource(author)
  const by = author.received === undefined ? source : line`(${source})`
  return line`#${number} ${joined([what, by], ' ')}: ${title}`
}

/** Author and transport as one part of a line; empty where neither is known. */
function showSource({ by, received }: Pick<Authored, 'by' | 'received'>): Line {
  return joined(describeTrust({ ...received, by }))
}

function duration(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`
}
