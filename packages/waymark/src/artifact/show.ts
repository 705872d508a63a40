import picocolors from 'picocolors'
import {
  type Column,
  countOf,
  type Fields,
  label,
  multiline,
  plain,
  type Render,
  type Style,
  table,
} from '../surfaces/terminal/cells.ts'

export const RENDERERS: Readonly<Record<string, Render>> = {
  'artifact.add': renderArtifact,
  'artifact.show': renderArtifact,
  'artifact.tag': renderArtifact,
  'artifact.link': renderArtifact,
  'artifact.remove': renderArtifact,
  'artifact.list': renderList,
  'artifact.read': renderContent,
  'artifact.get': ({ size, output }) => `${toSize(Number(size))} written to ${plain(output)}\n`,
  'artifact.lineage': renderLineage,
  'artifact.stats': renderStats,
  'artifact.collect': renderCollection,
}

const COLUMNS: readonly Column[] = [
  { head: 'ID', value: shortId },
  { head: 'NAME', value: (row) => plain(row['name']) },
  { head: 'TYPE', value: (row) => plain(row['mime']) },
  { head: 'SIZE', value: (row) => toSize(Number(row['size'])) },
  { head: 'TAGS', value: (row) => (row['tags'] as readonly string[]).map(plain).join(', ') },
  { head: 'CREATOR', value: (row) => plain(row['creator']) },
  { head: 'CREATED', value: (row) => plain(row['created_at']) },
]

async function renderList(output: Fields, style: Style): Promise<string> {
  const rows = output['artifacts'] as readonly Fields[]
  const total = Number(output['total'])
  if (rows.length === 0)
    return total === 0 ? 'no artifacts\n' : `nothing at this offset; ${total} in all\n`
  const shown = await table(rows, COLUMNS, style)
  return rows.length < total ? `${shown}${rows.length} of ${total}\n` : shown
}

function renderArtifact(output: Fields, style: Style): string {
  const { bold, dim } = picocolors.createColors(style.colors)
  const links = (output['links'] ?? []) as readonly Fields[]
  const fields: readonly [string, unknown][] = [
    ['content', output['uri']],
    ['type', output['mime']],
    ['size', toSize(Number(output['size']))],
    ['tags', (output['tags'] as readonly string[]).join(', ')],
    ['made from', output['parent']],
    ['variation', variationOf(output)],
    ['created', [output['created_at'], output['creator']].filter(Boolean).join(' by ')],
    ...links.map(({ type, entity }): [string, unknown] => [String(type), label(entity as Fields)]),
  ]
  const lines = fields
    .map(([name, value]) => [plain(name), plain(value)] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${dim(`${name}:`)} ${value}`)
  const removed = output['removed'] === true ? 'removed ' : ''
  return `${[`${removed}${bold(plain(output['id']))} ${bold(plain(output['name']))}`.trimEnd(), ...lines].join('\n')}\n`
}

function variationOf(output: Fields): string {
  const set = output['variation_set']
  return set === undefined ? '' : `${plain(output['variation_index'])} of ${plain(set)}`
}

/** What it was made from above it, what was made from it below. */
function renderLineage(output: Fields): string {
  const chain = output['chain'] as readonly Fields[]
  const lines = [
    ...chain.map((one, depth) => `${'  '.repeat(depth)}${toLine(one)}`),
    ...(output['children'] as readonly Fields[]).map(
      (one) => `${'  '.repeat(chain.length)}${toLine(one)}`,
    ),
    ...(output['variations'] as readonly Fields[]).map((one) => `variation: ${toLine(one)}`),
  ]
  return `${lines.join('\n')}\n`
}

function toLine(row: Fields): string {
  const removed = row['removed'] === true ? ' (removed)' : ''
  const size = toSize(Number(row['size']))
  return `${shortId(row)} ${plain(row['name'] ?? row['mime'])}, ${size}${removed}`
}

function renderCollection(output: Fields): string {
  const verb = output['dry_run'] === true ? 'would remove' : 'removed'
  const lines = [
    `${verb} ${countOf(output['removed'], 'content')} (${toSize(Number(output['bytes']))}), kept ${plain(output['kept'])}`,
    ...(output['hashes'] as readonly string[]).map((hash) => `  ${plain(hash)}`),
    ...(Number(output['leftovers']) > 0
      ? [`removed ${countOf(output['leftovers'], 'file')} of uploads that were broken off`]
      : []),
  ]
  return `${lines.join('\n')}\n`
}

function renderStats(output: Fields): string {
  const counted = (title: string, counts: unknown) => {
    const parts = Object.entries(counts as Fields).map(
      ([name, count]) => `${plain(count)} ${plain(name)}`,
    )
    return parts.length === 0 ? [] : [`${title}: ${parts.join(', ')}`]
  }
  const { total, contents, bytes, by_type, by_tag, by_creator } = output
  const lines = [
    `${countOf(total, 'artifact')}, ${countOf(contents, 'content')} (${toSize(Number(bytes))})`,
    ...counted('types', by_type),
    ...counted('tags', by_tag),
    ...counted('creators', by_creator),
  ]
  return `${lines.join('\n')}\n`
}

function renderContent(output: Fields): string {
  const more = output['next_offset']
  const rest =
    more === undefined
      ? ''
      : `… ${plain(output['size'])} bytes in all; go on with --offset ${plain(more)}\n`
  return `${multiline(output['text'] ?? output['base64']).trimEnd()}\n${rest}`
}

function shortId(row: Fields): string {
  return plain(row['id']).slice(0, 8)
}

const UNITS = ['kB', 'MB', 'GB', 'TB'] as const

function toSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length)
  return `${(bytes / 1000 ** power).toPrecision(3)} ${UNITS[power - 1]}`
}
