import { counted, joined, type Line, line, own, titled } from '../../core/show.ts'
import type { Linked } from './linked.ts'

type Relation = NonNullable<Linked['relations']>[number]
type Entity = Relation['entity']

const COMMIT_LENGTH = 12

/** One line for each linked thing and one for each list that was cut, with the command that shows the rest. */
export function showLinked(linked: Linked, { number }: Pick<Entity, 'number'>): readonly Line[] {
  return toLines(linked, {
    relations: `: waymark relation list ${number}`,
    artifacts: `: waymark artifact list --link ${number}`,
    messages: `: waymark message thread ${number}`,
  })
}

/** The same for a model, which has no use for the commands. */
export function showLinkedToAgent(linked: Linked): readonly Line[] {
  return toLines(linked, { relations: '', artifacts: '', messages: '' })
}

/** The lines as texts, for structured answers. */
export function describeLinked(linked: Linked = {}): string[] {
  return showLinkedToAgent(linked).map((spans) => spans.map(({ text }) => text).join(''))
}

/** `#7 Use SQLite` */
export function showNumbered({ number, title }: Pick<Entity, 'number' | 'title'>): Line {
  return line`#${number} ${titled(title)}`
}

interface Commands {
  readonly relations: string
  readonly artifacts: string
  readonly messages: string
}

function toLines(linked: Linked, commands: Commands): readonly Line[] {
  const { relations = [], artifacts = [], code = [], messages = 0, more = {} } = linked
  return [
    ...relations.map(showRelation),
    ...showMore('relation', more.relations, commands.relations),
    ...artifacts.map(showArtifact),
    ...showMore('artifact', more.artifacts, commands.artifacts),
    ...code.map(showCode),
    ...showMore('annotation', more.code),
    ...(messages === 0 ? [] : [line`messages about it: ${messages}${own(commands.messages)}`]),
  ]
}

function showRelation({ type, direction, entity }: Relation): Line {
  const other = line`${showNumbered(entity)} (${joined([entity.type, entity.status])})`
  return direction === 'from'
    ? line`relation: ${type} ${other}`
    : line`relation: ${other} ${type} this`
}

function showArtifact({ id, name, mime, size }: NonNullable<Linked['artifacts']>[number]): Line {
  const facts = joined([mime, own(counted(size, 'byte')), id.slice(0, 8)])
  return line`artifact: ${titled(name ?? id)} (${facts})`
}

function showCode({ commit, summary, places }: NonNullable<Linked['code']>[number]): Line {
  const where = joined(places.map(titled))
  return line`annotated code: ${joined([where, titled(summary)], ': ')} (${commit.slice(0, COMMIT_LENGTH)})`
}

function showMore(noun: string, count = 0, command = ''): readonly Line[] {
  return count === 0 ? [] : [line`and ${own(counted(count, `more ${noun}`))}${own(command)}`]
}
