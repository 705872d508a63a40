import { isPerson, type AgentId, toAgentId } from '../agent/agent.ts'
import type { ReadContext } from '../core/context.ts'
import { shorten, toLine } from '../support/text/visible-text.ts'
import { toExcerpt } from '../message/excerpt.ts'
import type { EventRow } from './store.ts'
import { toEntityId } from '../entity/entity-id.ts'

const LONGEST_TEXT = 200

/** What an event is about in words, for people: the text of a message, the titles of related entities. */
export async function describeEvent(
  context: ReadContext,
  { type, subject, data }: EventRow,
): Promise<string | undefined> {
  if (context.agent.surface !== 'cli') return undefined
  if (type === 'message.sent') return await describeMessage(context, Number(data['message_id']))
  if (type === 'message.read') return await nameOf(context, toAgentId(subject))
  if (type.startsWith('relation.')) return await describeRelation(context, subject, data)
  if (type.startsWith('artifact.')) return await describeArtifact(context, subject, data)
  const { summary } = data
  if (type === 'annotation.created' && typeof summary === 'string')
    return shorten(toLine(summary), LONGEST_TEXT)
  return undefined
}

/** `message 7 to bo: the parser is yours now`. Agents see only the text of what was sent to all. */
async function describeMessage(context: ReadContext, id: number): Promise<string | undefined> {
  const message = await context.store.messages.byId(id)
  if (message === undefined) return undefined
  const to = message.toAgent === null ? 'all' : await nameOf(context, message.toAgent)
  if (message.toAgent !== null && !isPerson(context.agent)) return `message ${id} to ${to}`
  return `message ${id} to ${to}: ${toExcerpt(message)}`
}

async function describeRelation(
  { store }: ReadContext,
  source: string,
  { type, target }: EventRow['data'],
): Promise<string | undefined> {
  const [from, to] = await Promise.all(
    [source, String(target)].map((id) => store.entities.byId(toEntityId(id))),
  )
  if (from === undefined || to === undefined) return undefined
  return `#${from.number} ${from.title} ${String(type)} #${to.number} ${to.title}`
}

/** The file name, or the beginning of the hash where there is none, as of a removed artifact. */
async function describeArtifact(
  { store }: ReadContext,
  id: string,
  { hash }: EventRow['data'],
): Promise<string | undefined> {
  const [artifact] = await store.artifacts.byIdPrefix(id, 1)
  return artifact?.name ?? (typeof hash === 'string' ? `cas://${hash.slice(0, 12)}` : undefined)
}

async function nameOf({ store }: ReadContext, id: AgentId): Promise<string> {
  return (await store.agents.byId(id))?.name ?? id
}
