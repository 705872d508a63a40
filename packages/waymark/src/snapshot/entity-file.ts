import { type SnapshotEntity, type SnapshotLink, textOf, textsOf } from './entry.ts'
import {
  block,
  code,
  frontMatter,
  GENERATED,
  inline,
  paragraphs,
  section,
  toDate,
} from './markdown.ts'

interface Surroundings {
  readonly links: readonly SnapshotLink[]
  /** Where each entity is in the snapshot. */
  readonly paths: ReadonlyMap<string, string>
}

/** One entity as a file of its own. */
export function entityFile(entity: SnapshotEntity, surroundings: Surroundings): string {
  return paragraphs(
    frontMatter(fieldsOf(entity)),
    GENERATED,
    `# ${inline(entity.title)}`,
    ...bodyOf(entity),
    section('Related', related(surroundings)),
  )
}

function fieldsOf(entity: SnapshotEntity) {
  const { id, number, title, status, createdAt, updatedAt, createdBy, tags } = entity
  return {
    id,
    sequence: number,
    title,
    status,
    ...Object.fromEntries(
      ['superseded_by', 'note_type', 'component_type', 'owner', 'url', 'link_type'].map((name) => [
        name,
        textOf(entity, name),
      ]),
    ),
    variables: textsOf(entity, 'variables'),
    created: toDate(createdAt),
    updated: toDate(updatedAt),
    created_by: createdBy,
    tags,
  }
}

function bodyOf(entity: SnapshotEntity): readonly (string | undefined)[] {
  const content = entity.content === null ? undefined : block(entity.content)
  switch (entity.type) {
    case 'decision':
      return decisionBody(entity, content)
    case 'prompt':
      return promptBody(entity, content)
    default:
      return [content]
  }
}

function decisionBody(
  entity: SnapshotEntity,
  content: string | undefined,
): readonly (string | undefined)[] {
  const context = textOf(entity, 'context')
  const consequences = textsOf(entity, 'consequences').map((text) => `- ${inline(text)}`)
  return [
    section('Context', context === undefined ? undefined : block(context)),
    // Without a context the text speaks for itself and needs no heading.
    context === undefined ? content : section('Decision', content),
    section('Consequences', consequences.join('\n')),
  ]
}

function promptBody(
  entity: SnapshotEntity,
  content: string | undefined,
): readonly (string | undefined)[] {
  const template = textOf(entity, 'template')
  const schema = textOf(entity, 'output_schema')
  return [
    content,
    section('Template', template === undefined ? undefined : code(template)),
    section('Output Schema', schema === undefined ? undefined : code(schema, 'json')),
  ]
}

function related({ links, paths }: Surroundings): string {
  return links
    .map(({ type, direction, other }) => {
      const arrow = direction === 'from' ? `${type} →` : `← ${type}`
      const path = paths.get(other.id)
      const name = `#${other.number} ${inline(other.title)}`
      return `- ${arrow} ${path === undefined ? name : `[${name}](../${path})`}`
    })
    .join('\n')
}
