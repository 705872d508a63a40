import picocolors from 'picocolors'
import { describeTrust } from '../domain/trust-text.ts'
import type { Brief } from '../domain/brief-text.ts'
import {
  type Column,
  displayId,
  type Fields,
  isFields,
  label,
  multiline,
  plain,
  type Style,
  table,
} from './cells.ts'

const ENTITY_COLUMNS: readonly Column[] = [
  { head: 'ID', value: displayId },
  { head: 'TYPE', value: (row) => plain(row['type']) },
  { head: 'STATUS', value: (row) => plain((row['properties'] as Fields | undefined)?.['status']) },
  { head: 'TITLE', value: (row) => plain(row['title']) },
  {
    head: 'TAGS',
    value: (row) => ((row['tags'] as readonly string[] | undefined) ?? []).map(plain).join(', '),
  },
]

const RELATION_COLUMNS: readonly Column[] = [
  { head: 'SOURCE', value: (row) => label(row['source'] as Fields) },
  { head: 'RELATION', value: (row) => plain(row['type']) },
  { head: 'TARGET', value: (row) => label(row['target'] as Fields) },
]

/** The output of an operation as a person reads it. Unknown shapes are shown as fields, so nothing is ever hidden. */
export async function render(output: unknown, style: Style): Promise<string> {
  if (!isFields(output)) return `${plain(output)}\n`
  if (Array.isArray(output['entities']) && 'total' in output) return await renderList(output, style)
  if (Array.isArray(output['outgoing'])) return await renderRelations(output, style)
  if (output['deleted'] === true && 'title' in output) return renderDeleted(output)
  if (isFields(output['source']) && isFields(output['target'])) return renderRelation(output)
  if ('title' in output && 'properties' in output) return renderEntity(output, style)
  if (Array.isArray(output['holding'])) {
    const { renderStatus } = await import('./render-status.ts')
    return await renderStatus(output, style)
  }
  if (isFields(output['left_out']) && typeof output['next'] === 'string')
    return await renderBrief(output)
  if (isAboutArtifacts(output)) {
    const { renderArtifacts } = await import('./render-artifacts.ts')
    return await renderArtifacts(output, style)
  }
  if (typeof output['$schema'] === 'string') {
    const { renderCode } = await import('./render-code.ts')
    const code = renderCode(output, style)
    if (code !== undefined) return code
  }
  const { renderReplica } = await import('./render-replica.ts')
  const replica = renderReplica(output)
  if (replica !== undefined) return replica
  const { renderKnowledge } = await import('./render-knowledge.ts')
  const knowledge = await renderKnowledge(output, style)
  if (knowledge !== undefined) return knowledge
  const { renderCrew } = await import('./render-crew.ts')
  return (await renderCrew(output, style)) ?? `${JSON.stringify(output, null, 2)}\n`
}

/** Everything that is said of an artifact has its hash in it, alone or in a list. */
function isAboutArtifacts(output: Fields): boolean {
  return (
    (typeof output['hash'] === 'string' && 'size' in output) ||
    Array.isArray(output['artifacts']) ||
    typeof output['artifact_id'] === 'string' ||
    ('leftovers' in output && Array.isArray(output['hashes']))
  )
}

async function renderBrief(output: Fields): Promise<string> {
  const { toBriefText } = await import('../domain/brief-text.ts')
  return `${multiline(toBriefText(output as unknown as Brief))}\n`
}

async function renderList(output: Fields, style: Style): Promise<string> {
  const rows = output['entities'] as readonly Fields[]
  const total = Number(output['total'])
  if (rows.length === 0)
    return total === 0 ? 'nothing found\n' : `nothing at this offset; ${total} in all\n`
  const shown = await table(rows, ENTITY_COLUMNS, style)
  return rows.length < total ? `${shown}${rows.length} of ${total}\n` : shown
}

async function renderRelations(output: Fields, style: Style): Promise<string> {
  const rows = [...(output['outgoing'] as Fields[]), ...(output['incoming'] as Fields[])]
  return rows.length === 0
    ? `${label(output['entity'] as Fields)} has no relations\n`
    : await table(rows, RELATION_COLUMNS, style)
}

function renderRelation(output: Fields): string {
  const what = `${label(output['source'] as Fields)} ${plain(output['type'])} ${label(output['target'] as Fields)}`
  if (output['deleted'] === true) return `removed: ${what}\n`
  return output['created'] === false ? `already there: ${what}\n` : `added: ${what}\n`
}

function renderDeleted(output: Fields): string {
  const removed = Number(output['relations_removed'] ?? 0)
  const relations = removed === 0 ? '' : ` and ${removed} relation${removed === 1 ? '' : 's'}`
  return `deleted ${plain(output['type'])} ${label(output)}${relations}\n`
}

function renderEntity(output: Fields, style: Style): string {
  const { bold, dim } = picocolors.createColors(style.colors)
  const heading = `${bold(displayId(output))} ${plain(output['type'])}: ${bold(plain(output['title']))}`
  const shown: [string, unknown][] = [
    ...Object.entries(output['properties'] as Fields),
    ['tags', output['tags']],
    ['created', [output['created_at'], output['created_by']].filter(Boolean).join(' by ')],
    ['updated', output['updated_at']],
    ['trust', describeTrust((output['trust'] ?? {}) as Fields)],
  ]
  const fields = shown
    .map(
      ([name, value]) =>
        [name, Array.isArray(value) ? value.map(plain).join(', ') : plain(value)] as const,
    )
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${dim(`${name}:`)} ${value}`)
  const content = output['content'] === undefined ? [] : ['', multiline(output['content'])]
  return `${[heading, ...fields, ...content].join('\n')}\n`
}
