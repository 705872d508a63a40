import {
  type Block,
  bold,
  type Column,
  counted,
  countOf,
  dim,
  field,
  joined,
  type Line,
  line,
  own,
  table,
  when,
} from '../core/show.ts'
import { label } from '../entity/view.ts'
import type { ArtifactLineage, ArtifactStats } from './lineage.ts'
import type { ArtifactView, LinkedArtifactView } from './view.ts'

type ShownArtifact = ArtifactView & Partial<Pick<LinkedArtifactView, 'links'>>

export function showArtifactView(artifact: ShownArtifact): readonly Block[] {
  const { id, name, size, variation_set: set, variation_index: index, links = [] } = artifact
  const removed = own(artifact.removed === true ? 'removed ' : '')
  return [
    line`${removed}${joined([bold(id), bold(name)], ' ')}`,
    ...field('content', artifact.uri),
    ...field('type', artifact.mime),
    ...field('size', toSize(size)),
    ...field('tags', joined(artifact.tags)),
    ...field('made from', artifact.parent),
    ...field('variation', set === undefined ? undefined : line`${index} of ${set}`),
    ...field('created', joined([when(artifact.created_at), artifact.creator], ' by ')),
    ...links.map(({ type, entity }) => line`${dim(line`${type}:`)} ${label(entity)}`),
  ]
}

const COLUMNS: readonly Column<ArtifactView>[] = [
  { head: 'ID', value: shortId },
  { head: 'NAME', value: ({ name }) => name, isMain: true },
  { head: 'TYPE', value: ({ mime }) => mime },
  { head: 'SIZE', value: ({ size }) => toSize(size) },
  { head: 'TAGS', value: ({ tags }) => joined(tags) },
  { head: 'CREATOR', value: ({ creator }) => creator },
  { head: 'CREATED', value: ({ created_at }) => when(created_at) },
]

export function showArtifacts({
  artifacts,
  total,
}: {
  readonly artifacts: readonly ArtifactView[]
  readonly total: number
}): readonly Block[] {
  if (artifacts.length === 0)
    return [total === 0 ? line`no artifacts` : line`nothing at this offset; ${total} in all`]
  return [table(artifacts, COLUMNS), ...countOf(artifacts.length, total)]
}

/** Ancestors above the artifact, children below it. */
export function showLineage({ chain, children, variations }: ArtifactLineage): readonly Block[] {
  return [
    ...chain.map((one, depth) => indented(depth, one)),
    ...children.map((one) => indented(chain.length, one)),
    ...variations.map((one) => line`variation: ${summary(one)}`),
  ]
}

function indented(depth: number, artifact: ArtifactView): Line {
  return line`${own('  '.repeat(depth))}${summary(artifact)}`
}

function summary(artifact: ArtifactView): Line {
  const { name, mime, size, removed } = artifact
  return line`${shortId(artifact)} ${name ?? mime}, ${toSize(size)}${own(removed === true ? ' (removed)' : '')}`
}

export function showStats(stats: ArtifactStats): readonly Block[] {
  const contents = counted(stats.contents, 'content')
  return [
    line`${counted(stats.total, 'artifact')}, ${contents} (${toSize(stats.bytes)})`,
    ...showCounts('types', stats.by_type),
    ...showCounts('tags', stats.by_tag),
    ...showCounts('creators', stats.by_creator),
  ]
}

function showCounts(title: string, counts: Readonly<Record<string, number>>): readonly Line[] {
  const parts = Object.entries(counts).map(([name, count]) => line`${count} ${name}`)
  return parts.length === 0 ? [] : [line`${own(title)}: ${joined(parts)}`]
}

function shortId({ id }: ArtifactView): string {
  return id.slice(0, 8)
}

const UNITS = ['kB', 'MB', 'GB', 'TB'] as const

export function toSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length)
  return `${(bytes / 1000 ** power).toPrecision(3)} ${UNITS[power - 1]}`
}
