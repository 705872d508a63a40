import type { BriefPart } from './brief.ts'
import { toLine } from '../support/text/visible-text.ts'
import { toTitle } from '../support/text/stored-text.ts'
import { describeTrust, type TrustFacts } from '../agent/trust-text.ts'

interface Authored {
  readonly number: number
  readonly title: string
  readonly by?: string | undefined
  readonly received?: Pick<TrustFacts, 'via' | 'remote' | 'signature' | 'signer'> | undefined
}

export interface Brief {
  readonly next: string
  readonly leases: readonly (Authored & {
    readonly fence: number
    readonly seconds_left: number
  })[]
  readonly messages: readonly {
    readonly id: number
    readonly from: string
    readonly severity: string
    readonly text: string
  }[]
  readonly ready: readonly (Authored & {
    readonly priority: number
    readonly due_date?: string | undefined
    readonly assignee?: string | undefined
  })[]
  readonly decisions: readonly (Authored & {
    readonly status?: string | undefined
    readonly code?: string | undefined
    readonly updated: string
  })[]
  readonly code: readonly {
    readonly file: string
    readonly at?: string | undefined
    readonly kind: string
    readonly text: string
    readonly state: string
    readonly by?: string | undefined
  }[]
  readonly questions: readonly Authored[]
  readonly changes: readonly (Authored & { readonly what: string })[]
  readonly since?: string | undefined
  readonly cursor: number
  readonly changes_after?: number | undefined
  readonly left_out: Partial<Readonly<Record<BriefPart, number>>>
}

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
