import { violation } from '../../core/input/parse.ts'
import { relationType } from '../../relation/relation.ts'
import { firstCharacters } from '../../support/text/visible-text.ts'
import {
  type ImportedKnowledge,
  type ImportSource,
  isRecord,
  parseLines,
  Remarks,
  text,
} from '../../task/import/imported-task.ts'
import { toRef } from './knowledge.ts'

/** Kinds of entities that are parts of a system; everything else becomes a note. */
const COMPONENTS: ReadonlySet<string> = new Set(
  'component service library module package system application app api database tool'.split(' '),
)

const READ: ReadonlySet<string> = new Set(['type', 'name', 'entityType', 'observations'])

const LONGEST_KIND = 50

/** The knowledge graph of `@modelcontextprotocol/server-memory`: an entity or a relation in each line. */
export function readMemory(lines: string): ImportSource {
  const remarks = new Remarks()
  const entities = new Map<string, ImportedKnowledge>()
  const relations: Relation[] = []
  let isGraph = false
  for (const { at, record } of parseLines(lines)) {
    const relation = toRelation(record, remarks)
    const entity = relation === undefined ? toEntity(record) : undefined
    if (relation !== undefined) relations.push(relation)
    else if (entity === undefined) remarks.add(`line ${at} is no entity and no relation`)
    else addEntity(entities, entity, remarks)
    if (entity !== undefined) remarks.addUnread(record, READ)
    isGraph ||= (relation ?? entity) !== undefined
  }
  if (!isGraph && lines.trim() !== '') {
    throw violation('path', 'bad_format', 'must be the memory file of server-memory')
  }
  return {
    tasks: [],
    knowledge: withRelations(entities, relations, remarks),
    remarks: remarks.list(),
  }
}

type Line = Readonly<Record<string, unknown>>

interface Relation {
  readonly from: string
  readonly type: string
  readonly to: string
}

function toEntity(line: Line): ImportedKnowledge | undefined {
  const name = text(line['name'])
  if (line['type'] !== 'entity' || name === undefined) return undefined
  const kind = firstCharacters(text(line['entityType'])?.trim() ?? '', LONGEST_KIND)
  const isComponent = COMPONENTS.has(kind.toLowerCase())
  return {
    ref: toRef('memory', name),
    key: name,
    type: isComponent ? 'component' : 'note',
    title: name.replaceAll(/\s+/g, ' '),
    content: toList(line['observations']),
    labels: [],
    properties: { [isComponent ? 'component_type' : 'note_type']: kind || null },
    relations: [],
  }
}

function toList(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined
  const observations = value.flatMap((item) => text(isRecord(item) ? item['content'] : item) ?? [])
  const items = observations.map((item) => `- ${item.trim().replaceAll(/\r?\n/g, '\n  ')}`)
  return items.length === 0 ? undefined : items.join('\n')
}

/** A type of relation that is no word here becomes `references`. */
function toRelation(line: Line, remarks: Remarks): Relation | undefined {
  const [from, to] = [text(line['from']), text(line['to'])]
  const word = text(line['relationType']) ?? 'references'
  if (line['type'] !== 'relation' || from === undefined || to === undefined) return undefined
  const { data } = relationType.safeParse(word.trim().replaceAll(/[\s-]+/g, '_'))
  if (data === undefined) remarks.add(`relation "${word.slice(0, 50)}" became references`)
  return { from, type: data ?? 'references', to }
}

/** A name that comes again adds its observations. */
function addEntity(
  entities: Map<string, ImportedKnowledge>,
  entity: ImportedKnowledge,
  remarks: Remarks,
): void {
  const before = entities.get(entity.key)
  if (before !== undefined) remarks.add(`${entity.key} is there more than once and was joined`)
  const observations = [before?.content, entity.content].filter((part) => part !== undefined)
  const content = observations.length === 0 ? undefined : observations.join('\n')
  entities.set(entity.key, { ...entity, content })
}

function withRelations(
  entities: ReadonlyMap<string, ImportedKnowledge>,
  relations: readonly Relation[],
  remarks: Remarks,
): ImportedKnowledge[] {
  const bySource = new Map<string, Relation[]>()
  for (const relation of relations) {
    if (!entities.has(relation.from)) {
      remarks.add(`${relation.from} ${relation.type} ${relation.to}: the first is not there`)
    }
    const known = bySource.get(relation.from)
    if (known === undefined) bySource.set(relation.from, [relation])
    else known.push(relation)
  }
  return [...entities.values()].map((entity) => ({
    ...entity,
    relations: (bySource.get(entity.key) ?? []).map(({ type, to }) => ({
      type,
      ref: toRef('memory', to),
    })),
  }))
}
