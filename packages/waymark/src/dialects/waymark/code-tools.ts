import * as z from 'zod'
import { annotateCode } from '../../annotation/write/annotate.ts'
import type { Statement, WhyView } from '../../annotation/read/view.ts'
import { whyCode } from '../../annotation/read/why.ts'
import type { Reservation } from '../../task/lock/locks.ts'
import type { DialectTool } from '../dialect.ts'
import { shorten, tokensOf } from './budget.ts'
import { define, maxTokens, pick, plain, titled, words } from './define-tool.ts'

const text = z.string().optional()
const SHORT_COMMIT = 10

export function codeTools(): readonly DialectTool[] {
  return [whyTool(), annotateTool()]
}

function whyTool(): DialectTool {
  return define({
    name: 'code_why',
    description:
      'Before you change code: why it is so, what must stay true, what depends on it, checked against today’s code.',
    input: z.object({
      path: z.string(),
      anchor: text.describe('function or type'),
      lines: text.describe('42:67'),
      max_tokens: maxTokens,
    }),
    operation: whyCode,
    toInput: (args) => ({ ...args, max_tokens: tokensOf(args) }),
    toResult: ({ $schema: _schema, ...known }, args) => shorten(known, args),
    toText: (result) => whyLines(result).join('\n'),
  })
}

type Known = Omit<WhyView, '$schema'>
type Dependency = NonNullable<WhyView['relies_on']>[number]
type Link = NonNullable<WhyView['belongs_to']>[number]

function whyLines(known: Known): readonly string[] {
  const { reserved_by = [], relied_on_by = [], relies_on = [], together_with = [] } = known
  const { belongs_to = [], last_commits = [], written_by = [], notes = [] } = known
  const lines = [
    ...reserved_by.map(reservationLine),
    ...statementLines('must hold', known.must_hold),
    ...statementLines('why', known.reasons),
    ...statementLines('learned', known.learned),
    ...statementLines('risk', known.risks),
    ...statementLines('unfinished', known.unfinished),
    ...relied_on_by.map((one) => `relied on by: ${dependencyLine(one)} (${one.state})`),
    ...relies_on.map((one) => `relies on: ${dependencyLine(one)}`),
    ...together_with.map(
      ({ regions, description }) => `with ${plain(regions)}: ${plain(description)}`,
    ),
    ...belongs_to.map(linkLine),
    ...last_commits.map(
      ({ date, commit, subject }) => `last commit: ${date} ${commit} ${plain(subject)}`,
    ),
    ...written_by.map(({ agent, lines }) => `written by: ${titled(agent)} (${lines} lines)`),
  ]
  return [
    ...(lines.length === 0 ? ['nothing is recorded about this code'] : lines),
    ...notes.map(plain),
  ]
}

function reservationLine(reservation: Reservation): string {
  const { agent_id, agent_name = agent_id, pattern, task, expires_at } = reservation
  const title = `#${task.number} ${titled(task.title)}`
  return `reserved by ${titled(agent_name)} until ${expires_at}: ${titled(pattern)} for ${title}`
}

function statementLines(name: string, statements: readonly Statement[] = []): readonly string[] {
  return statements.flatMap(({ at, text, detail, state, by, commit }) => {
    const place = at === undefined ? '' : `${titled(at)}: `
    const origin = [state, by, commit].filter((part) => part !== undefined).map(titled)
    return [
      `${name}: ${place}${titled(text)} (${origin.join(', ')})`,
      ...(detail === undefined ? [] : [`  ${plain(detail)}`]),
    ]
  })
}

function dependencyLine({ file, anchor, nature }: Dependency): string {
  const place = [file, anchor].filter((part) => part !== '').map(titled)
  return `${place.join(' ')}: ${plain(nature)}`
}

function linkLine({ type, id, number, title }: Link): string {
  const reference = number === undefined ? id : `#${number}`
  return `belongs to: ${[type, reference].map(plain).join(' ')} ${titled(title ?? '')}`.trimEnd()
}

function annotateTool(): DialectTool {
  // Loose because the operation knows more fields than are worth listing, and refuses all others.
  const region = z.looseObject({
    file: z.string(),
    anchor: text,
    lines: text,
    intent: z.string().describe('why it is so'),
    constraints: words.optional(),
  })
  return define({
    name: 'annotate',
    description: 'After a commit: record why the code is as it is, for the next change.',
    input: z.object({
      summary: text,
      commit: text.describe('default HEAD'),
      regions: z.array(region).optional(),
      links: words.optional().describe('numbers of decisions, tasks'),
    }),
    operation: annotateCode,
    toInput: (args) => args,
    toResult: ({ commit, regions_written, warnings }) => ({
      commit: plain(commit).slice(0, SHORT_COMMIT),
      regions_written,
      ...pick({ warnings }, ['warnings']),
    }),
    toText: ({ commit, regions_written, warnings = [] }) =>
      [
        `annotated ${plain(commit)}: ${plain(regions_written)} regions`,
        ...warnings.map(plain),
      ].join('\n'),
  })
}
