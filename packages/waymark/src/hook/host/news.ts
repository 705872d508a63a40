import { OWNER_ID } from '../../agent/agent.ts'
import { joined, type Line, line, own, printForAgent, titled } from '../../core/show.ts'
import type { ReadStore } from '../../core/store/store.ts'
import { toExcerpt } from '../../message/excerpt.ts'
import type { ReceivedMessage } from '../../message/store.ts'
import type { HookAgent } from './session-agent.ts'
import { editedBy } from './sign-of-life.ts'

const MOST_MESSAGES = 3
const MOST_FILES = 10

/** The unread messages of an agent, answers to its questions among them; undefined if there are none. */
export async function describeUnread(
  { agents, messages }: Pick<ReadStore, 'agents' | 'messages'>,
  { id }: HookAgent,
): Promise<string | undefined> {
  const row = await agents.byId(id)
  if (row === undefined) return undefined
  const reader = { agentId: id, after: row.joinedAfter }
  const count = await messages.countUnread(reader)
  if (count === 0) return undefined
  const first = ['blocker', 'handoff', 'warning']
  const unread = await messages.inbox(reader, { unreadOnly: true, first, limit: MOST_MESSAGES })
  return printForAgent([
    line`Waymark: ${count} unread ${own(count === 1 ? 'message' : 'messages')} for you; the tool inbox has the whole text.`,
    ...unread.map(describeMessage),
    ...(count > unread.length ? [line`- and ${count - unread.length} more`] : []),
  ])
}

function describeMessage(message: ReceivedMessage): Line {
  const { fromAgent, fromName, replyTo, taskNumber } = message
  const isAnswer = fromAgent === OWNER_ID && replyTo !== null
  const from = isAnswer ? own('answer of the owner') : line`from ${titled(fromName ?? fromAgent)}`
  const about = taskNumber === null ? undefined : line` about #${taskNumber}`
  return line`- ${from}${about}: ${titled(toExcerpt(message))}`
}

/** What an agent holds that is about to stop; undefined if it holds nothing. */
export async function describeHeld(
  store: Pick<ReadStore, 'leases' | 'entities' | 'events'>,
  agent: HookAgent,
  now: number,
): Promise<string | undefined> {
  const held = await store.leases.held(now, agent.id)
  const tasks = await Promise.all(held.map(({ taskId }) => store.entities.byId(taskId)))
  const known = tasks.filter((task) => task !== undefined)
  if (known.length === 0) return undefined
  const names = known.map(({ number, title }) => line`#${number} ${titled(title)}`)
  const files = (await editedBy(store, agent, now)).slice(-MOST_FILES)
  return printForAgent([
    line`You still hold ${joined(names, '; ')}: complete it, release it with a reason, or say why you stop now.`,
    ...(files.length === 0 ? [] : [line`Files that you changed meanwhile: ${joined(files)}`]),
  ])
}
