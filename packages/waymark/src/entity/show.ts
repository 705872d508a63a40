import picocolors from 'picocolors'
import { describeTrust } from '../agent/trust-text.ts'
import {
  type Column,
  displayId,
  type Fields,
  label,
  block,
  messagesOf,
  plain,
  type Render,
  type Style,
  table,
} from '../surfaces/terminal/cells.ts'
import { renderHistory } from '../sync/history/show.ts'

/** How what is known is read: entities and the relations between them. */
export const RENDERERS: Readonly<Record<string, Render>> = {
  'entity.create': renderEntity,
  'entity.get': renderEntity,
  'entity.update': renderEntity,
  'entity.restore': renderEntity,
  'entity.list': renderEntityTable,
  'entity.delete': renderDeleted,
  'entity.purge': ({ number }) => `${plain(number)} is gone for good, with all of its history\n`,
  'entity.batch': renderBatch,
  'entity.history': renderHistory,
  'relation.create': renderRelation,
  'relation.delete': renderRelation,
  'relation.list': renderRelations,
  'decision.supersede': renderSuperseded,
}

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

export async function renderEntityTable(output: Fields, style: Style): Promise<string> {
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
  const content = output['content'] === undefined ? [] : ['', block(output['content'])]
  const warnings = messagesOf(output['warnings']).map((message) => `careful: ${plain(message)}`)
  return `${[heading, ...fields, ...content, ...warnings].join('\n')}\n`
}

function renderBatch(output: Fields): string {
  const lines = (output['results'] as Fields[]).map(({ index, success, id, error }) =>
    success === true
      ? `${plain(index)} ok ${plain(id)}`
      : `${plain(index)} failed: ${plain((error as Fields)['message'])}`,
  )
  const { succeeded, failed } = output
  return `${[...lines, `${plain(succeeded)} done, ${plain(failed)} failed`].join('\n')}\n`
}

function renderSuperseded(output: Fields): string {
  const verb = output['changed'] === false ? 'was superseded already by' : 'is superseded by'
  return `${label(output['old'] as Fields)} ${verb} ${label(output['new'] as Fields)}\n`
}

interface Labelled {
  readonly id: string
  readonly number: number
  readonly title: string
}

/** `012 (0199c4e)` */
export function displayId({ id, number }: Omit<Labelled, 'title'>): Line {
  return line`${String(number).padStart(3, '0')} (${id.slice(0, 7)})`
}

export function label(entity: Labelled): Line {
  return line`${displayId(entity)} ${entity.title}`
}
