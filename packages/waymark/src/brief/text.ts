import type { BriefPart } from './brief.ts'
import type { Brief } from './operations.ts'
import { toLine } from '../support/text/visible-text.ts'
import { toTitle } from '../support/text/stored-text.ts'
import { describeTrust } from '../agent/trust-text.ts'

type Authored = Brief['questions'][number]

/** A brief as lines: what to do on the first one, then the rest, one line for each thing. */
export function toBriefText(brief: Brief): string {
  const { leases, messages, ready, decisions, code, questions, changes, left_out } = brief
  const part = (name: BriefPart, heading: string, lines: readonly string[]) =>
    section(heading, lines, left_out[name] ?? 0)
  return [
    brief.next,
    ...part(
      'leases',
      'You hold',
      leases.map(
        ({ fence, seconds_left, ...task }) =>
          `${named(task)} · fence ${fence} · ${duration(seconds_left)} left`,
      ),
    ),
    ...part(
      'messages',
      'Unread',
      messages.map(
        ({ id, from, severity, text }) =>
          `${id} ${severity} from ${toTitle(from)}: ${toLine(text)}`,
      ),
    ),
    ...part(
      'ready',
      'Ready',
      ready.map(({ number, title, priority, due_date, assignee, ...author }) =>
        [
          `#${number} ${toTitle(title)} · p${priority}`,
          due_date && `due ${toTitle(due_date)}`,
          assignee && `for ${toTitle(assignee)}`,
          ...sourceOf(author),
        ]
          .filter(Boolean)
          .join(' · '),
      ),
    ),
    ...part(
      'decisions',
      'Decisions that matter here',
      decisions.map(
        ({ number, title, status, by, received, code, updated }) =>
          `#${number} ${toTitle(title)} · ${[status, ...describeTrust({ ...received, by, code }), updated.slice(0, 10)].filter(Boolean).join(', ')}`,
      ),
    ),
    ...part(
      'code',
      'About this code',
      code.map(
        ({ file, at, kind, text, state, by }) =>
          `${[file, ...(at === undefined ? [] : [at])].map(toTitle).join(' ')} [${kind}] ${toTitle(text)} · ${[state, ...describeTrust({ by })].join(', ')}`,
      ),
    ),
    ...part('questions', 'Open questions', questions.map(named)),
    ...part(
      'changes',
      brief.since === undefined ? 'Lately' : `Since ${brief.since.slice(0, 16)}Z`,
      changes.map(
        ({ number, title, what, ...author }) =>
          `#${number} ${[what, ...sourceOf(author)].join(' ')}: ${toLine(title)}`,
      ),
    ),
    ...(brief.changes_after === undefined
      ? []
      : [`all changes: events since ${brief.changes_after}`]),
    `events since: ${brief.cursor}`,
  ].join('\n')
}

function section(heading: string, lines: readonly string[], leftOut: number): readonly string[] {
  if (lines.length + leftOut === 0) return []
  const rest = leftOut === 0 ? [] : [`- and ${leftOut} more`]
  return [`${heading}:`, ...lines.map((line) => `- ${line}`), ...rest]
}

function named({ number, title, ...author }: Authored): string {
  return [`#${number} ${toTitle(title)}`, ...sourceOf(author)].join(' · ')
}

/** Who wrote it, as one part of a line; none where nothing is known. */
function sourceOf({ by, received }: Pick<Authored, 'by' | 'received'>): readonly string[] {
  const facts = describeTrust({ ...received, by })
  return facts.length === 0 ? [] : [facts.join(', ')]
}

function duration(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`
}
