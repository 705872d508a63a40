import type { EntityRow } from '../../entity/store.ts'
import { asTask } from '../../task/fields.ts'
import { readBody } from '../../task/import/backlog.ts'
import { type Comment, parseCommentList } from '../../task/import/comments.ts'
import { fromSections, Remarks, toSections } from '../../task/import/imported-task.ts'
import { readDecision } from '../import/adr.ts'
import { splitAtHeading } from '../import/sections.ts'
import { toBox } from './content.ts'

/** The Markdown of a task: sections in the form that Backlog.md reads, between its marks. */
export function taskBody(row: EntityRow, remarks: Remarks): string {
  const task = asTask(row)
  const isDone = task.status === 'done'
  const criteria = (task.acceptance_criteria ?? []).map((text) => toBox(text, remarks))
  const rest = [
    criteria.length === 0
      ? undefined
      : `## Acceptance Criteria\n${marked('AC', criteria.map((box, at) => `- ${numbered(box, at + 1)}`).join('\n'))}`,
    isDone && task.close_reason !== undefined
      ? `## Final Summary\n\n${marked('SECTION:FINAL_SUMMARY', task.close_reason)}`
      : undefined,
  ]
  const content = row.content?.trim() ?? ''
  const bodies = [split(content, rest), whole(content, rest)]
  const found = bodies.find((body) => (readBody(body, isDone).content ?? '') === content)
  if (found === undefined) remarks.add('the text of a task comes back in another form')
  return found ?? whole(content, rest)
}

type Parts = readonly (string | undefined)[]

/** The first paragraphs as the description, sections of their own as they are, comments as comments. */
function split(content: string, [criteria, summary]: Parts): string {
  const { first = '', sections } = fromSections(content, ['Comments'])
  const comments = parseCommentList(sections['Comments'] ?? '')
  const text = comments === undefined ? content : first
  const [opening, others] = splitAtHeading(text)
  return join([
    description(opening),
    criteria,
    others,
    comments === undefined ? undefined : toComments(comments),
    summary,
  ])
}

/** Everything as the description, with any headings it has. */
function whole(content: string, [criteria, summary]: Parts): string {
  return join([description(content), criteria, summary])
}

function description(text: string): string | undefined {
  return text === '' ? undefined : `## Description\n\n${marked('SECTION:DESCRIPTION', text)}`
}

function toComments(comments: readonly Comment[]): string {
  const blocks = comments.map(({ author, at, text }) =>
    [
      ...(author === undefined ? [] : [`author: @${author}`]),
      ...(at === undefined ? [] : [`created: ${toBacklogTime(at)}`]),
      '---',
      text,
      '---',
    ].join('\n'),
  )
  return `## Comments\n\n${marked('COMMENTS', blocks.join('\n'))}`
}

function numbered(box: string, number: number): string {
  return box.replace(/^(\[.\]) /, `$1 #${number} `)
}

function marked(name: string, text: string): string {
  return `<!-- ${name}:BEGIN -->\n${text}\n<!-- ${name}:END -->`
}

function join(parts: Parts): string {
  return parts.filter(Boolean).join('\n\n')
}

export function decisionBody(row: EntityRow, remarks: Remarks): string {
  const { context, consequences } = row.properties
  const content = row.content?.trim() ?? ''
  const items = Array.isArray(consequences) ? consequences.map((text) => `- ${String(text)}`) : []
  const [opening, others] = splitAtHeading(content)
  const first = toSections(undefined, {
    Context: typeof context === 'string' ? context : undefined,
    Decision: opening,
    Consequences: items.join('\n'),
  })
  const body = join([first, others])
  const place = { tool: 'backlog', paths: new Map(), remarks: new Remarks() }
  const back = readDecision({ path: '', matter: { status: 'accepted' }, body }, place)
  const isSame =
    (back?.content ?? '') === content &&
    (back?.properties['context'] ?? undefined) === context &&
    JSON.stringify(back?.properties['consequences']) === JSON.stringify(consequences ?? [])
  if (!isSame) remarks.add('the parts of a decision come back in another form')
  return body
}

export function docBody({ content }: EntityRow, remarks: Remarks): string {
  const text = content ?? ''
  if (text.trim() !== text) remarks.add('blank lines around a text were left out')
  return text.trim()
}

/** `2026-01-05 10:00`, as exact as need be. */
export function toBacklogTime(iso: string): string {
  return iso.replace('T', ' ').replace(/(?::00)?\.000Z$/, '')
}
