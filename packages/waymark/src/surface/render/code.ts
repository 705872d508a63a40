import picocolors from 'picocolors'
import { toVisibleJson } from '../../visible-text.ts'
import { block, type Fields, holder, plain, type Render, type Style } from '../cells.ts'
import { CHANGES } from './code-changes.ts'
import { fieldsOf, listOf, page, place, section } from './page.ts'
import { renderView } from './view.ts'

/** How answers about code are read: Markdown, which people and models both read well. */
export const RENDERERS: Readonly<Record<string, Render>> = {
  'code.read': renderRead,
  'code.deps': renderDependents,
  'code.history': renderHistory,
  'code.summary': renderSummary,
  'code.why': renderWhy,
  'code.show': renderView,
  'code.verify': renderVerify,
  'code.status': renderStatus,
  'code.export': renderExport,
  ...CHANGES,
}

function renderRead(output: Fields, style: Style): string {
  const regions = listOf(output['regions'])
  const parts = regions.map((region) => toRegion(region, style))
  const dependents = listOf(output['dependencies_on_this']).map(
    (one) => `- ${plain(one['from_file'])} ${plain(one['from_anchor'])}: ${plain(one['nature'])}`,
  )
  const concerns = listOf(output['cross_cutting']).map((one) => `- ${plain(one['description'])}`)
  return page([
    ...notesOf(output),
    parts.length === 0 ? 'nothing is annotated here' : parts.join('\n\n---\n\n'),
    ...section('Depends on this', dependents),
    ...section('Together with other places', concerns),
    ...trimmedOf(output),
  ])
}

function toRegion(region: Fields, style: Style): string {
  const { bold, dim } = picocolors.createColors(style.colors)
  const anchor = fieldsOf(region['ast_anchor'])['name']
  const constraints = listOf(region['constraints']).map(
    (one) => `- [${plain(one['source'])}] ${plain(one['text'])}`,
  )
  const corrections = listOf(region['corrections']).map(
    (one) =>
      `- ${plain(one['correction_type'])}${one['field'] === undefined ? '' : ` of ${plain(one['field'])}`} by ${plain(one['author'])}: ${plain(one['correction_text'])}`,
  )
  const kind = region['kind'] === 'intent' ? [] : [`[${plain(region['kind'])}]`]
  return [
    bold(['##', ...kind, place(region['file'], anchor)].join(' ')),
    dim(
      [
        plain(region['commit']).slice(0, 12),
        plain(region['timestamp']).slice(0, 10),
        ...(region['author'] === undefined ? [] : [plain(region['author'])]),
        toState(fieldsOf(region['freshness'])),
        `confidence ${plain(region['confidence'])}`,
      ].join(' · '),
    ),
    '',
    block(region['intent']),
    ...labelled('Reasoning', region['reasoning']),
    ...section('Constraints', constraints),
    ...labelled('Risk', region['risk_notes']),
    ...section('Corrections', corrections),
  ].join('\n')
}

/** `drifted (body, by 0123456 Retry twice)`. */
function toState(freshness: Fields): string {
  const changed = ((freshness['changed'] as string[] | undefined) ?? []).map(plain)
  const [changer] = listOf(freshness['changed_by'])
  const by =
    changer === undefined
      ? []
      : [`by ${plain(changer['commit']).slice(0, 7)} ${plain(changer['subject'])}`]
  const was = fieldsOf(freshness['was'])
  const from = [was['file'], was['anchor']].filter((part) => part !== undefined).map(plain)
  const details = [...changed, ...by, ...(from.length > 0 ? [`was ${from.join(' ')}`] : [])]
  return `${plain(freshness['state'])}${details.length === 0 ? '' : ` (${details.join(', ')})`}`
}

function renderDependents(output: Fields): string {
  const rows = listOf(output['dependents']).map(
    (one) =>
      `- ${place(one['file'], one['anchor'])}: ${plain(one['nature'])} (${plain(one['state'])}, ${plain(one['commit']).slice(0, 12)})`,
  )
  return page([...notesOf(output), rows.length === 0 ? 'nothing depends on this' : rows.join('\n')])
}

function renderHistory(output: Fields): string {
  const entries = listOf(output['timeline']).map((entry) =>
    [
      `${plain(entry['timestamp']).slice(0, 10)} ${plain(entry['commit']).slice(0, 12)} ${plain(entry['commit_message'])}`,
      `  ${plain(entry['intent'])} (${plain(entry['state'])})`,
      ...(entry['reasoning'] === undefined ? [] : [`  ${plain(entry['reasoning'])}`]),
    ].join('\n'),
  )
  return page([
    ...notesOf(output),
    entries.length === 0 ? 'nothing is annotated here' : entries.join('\n'),
  ])
}

function renderSummary(output: Fields): string {
  const stats = fieldsOf(output['stats'])
  const units = listOf(output['units']).map((unit) => {
    const constraints = listOf(unit['constraints']).map((one) => `  - ${plain(one['text'])}`)
    const name = fieldsOf(unit['anchor'])['name']
    const where = name === unit['file'] ? plain(name) : place(unit['file'], name)
    return [`- ${where}: ${plain(unit['intent'])} (${plain(unit['state'])})`, ...constraints].join(
      '\n',
    )
  })
  return page([
    ...notesOf(output),
    units.length === 0 ? 'nothing is annotated here' : units.join('\n'),
    `${plain(stats['annotated_units'])} of ${plain(stats['ast_units_in_file'])} units annotated, ${plain(stats['files'])} files`,
  ])
}

const WHY_SECTIONS = {
  must_hold: 'Must stay true',
  reasons: 'Why it is so',
  learned: 'Learned',
  risks: 'Risks',
  unfinished: 'Unfinished',
} as const

function renderWhy(output: Fields, style: Style): string {
  const { bold } = picocolors.createColors(style.colors)
  const statements = Object.entries(WHY_SECTIONS).flatMap(([field, title]) =>
    section(title, listOf(output[field]).map(toStatement)),
  )
  const relied = listOf(output['relied_on_by']).map(
    (one) =>
      `- ${place(one['file'], one['anchor'])}: ${plain(one['nature'])} (${plain(one['state'])})`,
  )
  const links = listOf(output['belongs_to']).map(
    (one) => `- ${plain(one['type'])} ${plain(one['number'] ?? one['id'])} ${plain(one['title'])}`,
  )
  const commits = listOf(output['last_commits']).map(
    (one) => `- ${plain(one['date'])} ${plain(one['commit'])} ${plain(one['subject'])}`,
  )
  const reserved = listOf(output['reserved_by']).map(
    (one) => `- ${holder(one)} works on ${plain(fieldsOf(one['task'])['title'])}`,
  )
  const told = [
    ...section('Reserved', reserved),
    ...statements,
    ...section('Relied on by', relied),
    ...section('Belongs to', links),
    ...section('Last commits', commits),
  ]
  return page([
    bold(`## ${plain(output['file'])}`),
    ...notesOf(output),
    ...(told.length === 0 ? ['nothing is known about this'] : told),
  ])
}

function toStatement(one: Fields): string {
  const at = one['at'] === undefined ? '' : `${plain(one['at'])}: `
  const by = [one['state'], one['by'], one['commit']].filter((part) => part !== undefined)
  const detail = one['detail'] === undefined ? '' : `\n  ${plain(one['detail'])}`
  return `- ${at}${plain(one['text'])} (${by.map(plain).join(', ')})${detail}`
}

function renderVerify(output: Fields): string {
  const counts = (value: unknown) =>
    Object.entries(fieldsOf(value))
      .map(([name, count]) => `${plain(count)} ${name}`)
      .join(', ')
  const problems = listOf(output['problems']).map((one) => {
    const where = one['file'] === undefined ? '' : ` ${place(one['file'], one['anchor'])}`
    const now = one['now'] === undefined ? '' : ` → ${plain(one['now'])}`
    return `- ${plain(one['problem'])}:${where}${now} (commit ${plain(one['commit']).slice(0, 12)})`
  })
  return page([
    ...notesOf(output),
    `commits: ${counts(output['commits'])}`,
    `regions: ${counts(output['regions'])}`,
    ...unreadOf(output),
    ...(problems.length === 0 ? ['everything is where it should be'] : [problems.join('\n')]),
  ])
}

function renderStatus(output: Fields): string {
  const hooks = listOf(output['hooks']).map(
    (one) => `${plain(one['hook'])} ${plain(one['state']).replace('_', ' ')}`,
  )
  const bare = listOf(output['unannotated_commits']).map(
    (one) => `- ${plain(one['commit']).slice(0, 12)} ${plain(one['subject'])}`,
  )
  return page([
    ...notesOf(output),
    `${plain(output['total_annotations'])} annotations of ${plain(output['annotated_commits'])} commits in ${plain(output['note_ref'])}`,
    `${plain(output['recent_annotated'])} of the last ${plain(output['recent_commits'])} commits annotated (${plain(output['coverage_pct'])} %)`,
    `hooks: ${hooks.join(', ')}`,
    ...unreadOf(output),
    ...section('Not annotated', bare),
  ])
}

function unreadOf({ unreadable }: Fields): readonly string[] {
  const lines = Number(unreadable)
  return lines === 0 ? [] : [`${lines} lines of notes are not read: waymark doctor names them`]
}

/** A line of JSON for each annotation: what `code import` reads. */
function renderExport(output: Fields): string {
  return listOf(output['annotations'])
    .map((one) => `${toVisibleJson(one)}\n`)
    .join('')
}

function notesOf(output: Fields): readonly string[] {
  const notes = (output['notes'] as readonly string[] | undefined) ?? []
  return notes.length === 0 ? [] : [notes.map((note) => `> ${plain(note)}`).join('\n')]
}

function trimmedOf(output: Fields): readonly string[] {
  const { original_regions: all, returned_regions: shown } = fieldsOf(output['trimmed'])
  return all === undefined
    ? []
    : [`${plain(shown)} of ${plain(all)} regions shown to keep to the budget`]
}

function labelled(title: string, text: unknown): readonly string[] {
  return text === undefined ? [] : ['', `**${title}**`, block(text)]
}
