import { OWNER_ID, type AgentId, toAgentId } from '../../agent/agent.ts'
import type { Change } from '../../core/change.ts'
import {
  type CarriedMessage,
  keyOfCarried,
  toCarriedBody,
} from '../../sync/live/carried-message.ts'
import type { Register } from '../../sync/live/register.ts'
import { toName } from '../../sync/live/values.ts'
import { SEVERITIES } from '../message.ts'
import type { OwnMessage } from './store.ts'
import { type EntityId, toEntityId } from '../../entity/entity-id.ts'

/** Open questions of one clone that others can see; the newest. */
export const MOST_QUESTIONS = 20
/** Answers that wait, and questions that are closed, are removed after this time. */
const FORGOTTEN_AFTER_MS = 14 * 24 * 60 * 60 * 1000

/** The clone and its person, as others see them. */
interface Identity {
  readonly clone: string
  readonly person: string
}

/** What to record once the remote has the draft. */
export interface SentMessage {
  readonly id: number
  readonly state: 'sent' | 'closed'
}

/**
 * Exchanges messages to the person, and the person's answers, with that person's other clones. The register is not
 * proof of anything: what arrives is marked, and is never taken for a word of the owner.
 */
export async function carryMessages(
  change: Change,
  register: Pick<Register, 'messages'>,
  me: Identity,
): Promise<{ readonly messages: Map<string, CarriedMessage>; readonly sent: SentMessage[] }> {
  const now = change.stamp.at
  const isKept = ({ at, closed, answers }: CarriedMessage): boolean =>
    (closed === undefined && answers === undefined) ||
    Math.abs(now - (closed ?? at)) < FORGOTTEN_AFTER_MS
  const kept = [...register.messages].filter(([, message]) => isKept(message))
  const messages = new Map(kept)
  // Without a name there is no telling whose clones are the same person's.
  if (me.person === '') return { messages, sent: [] }
  for (const [key, message] of kept) {
    if (message.clone === me.clone || message.person !== me.person) continue
    if (message.answers !== undefined) {
      if (message.answers.clone !== me.clone) continue
      await takeInAnswer(change, message, message.answers.number)
      messages.delete(key)
    } else if (message.closed !== undefined) await closeQuestion(change, message)
    else await takeInQuestion(change, message)
  }
  return { messages, sent: await addOwn(change, messages, me) }
}

async function takeInQuestion(change: Change, message: CarriedMessage): Promise<void> {
  if ((await change.carried.arrived(message)) !== undefined) return
  await insert(change, message, { toAgent: OWNER_ID, taskId: null, replyTo: null })
  await change.carried.linkTasks()
}

/** Answered or acknowledged in the clone where it was asked. */
async function closeQuestion({ carried, messages, stamp }: Change, message: CarriedMessage) {
  const id = await carried.arrived(message)
  if (id !== undefined) await messages.markRead(OWNER, [id], stamp.at)
}

async function takeInAnswer(change: Change, message: CarriedMessage, id: number): Promise<void> {
  const question = await change.messages.byId(id)
  const isQuestion = question?.toAgent === OWNER_ID && question.fromAgent !== OWNER_ID
  if (!isQuestion || (await change.carried.arrived(message)) !== undefined) return
  await insert(change, message, {
    toAgent: question.fromAgent,
    taskId: question.taskId,
    replyTo: question.id,
  })
  await change.messages.markRead(OWNER, [question.id], change.stamp.at)
}

const OWNER = { agentId: OWNER_ID, after: 0 }

interface Delivery {
  readonly toAgent: AgentId
  readonly taskId: EntityId | null
  readonly replyTo: number | null
}

async function insert(change: Change, message: CarriedMessage, delivery: Delivery): Promise<void> {
  const { clone, from, subject, body } = message
  const severity = SEVERITIES.find((one) => one === message.severity) ?? 'info'
  const at = change.stamp.at
  const { id } = await change.messages.insert({
    ...delivery,
    at,
    // No agent has such an id.
    fromAgent: toAgentId(`${from} @${clone}`),
    subject: subject === '' ? null : subject,
    body,
    severity,
  })
  await change.carried.noteArrived(message, {
    id,
    sender: `${from === '' ? 'an agent' : from} in clone ${clone}`,
    taskId: message.task === '' ? null : toEntityId(message.task),
  })
  await change.announceFor(null)('message.sent', String(id), {
    message_id: id,
    to: delivery.toAgent,
    ...(delivery.taskId !== null && { task_id: delivery.taskId }),
    severity,
    arrived_from: clone,
  })
}

/** Puts what is open here into the draft, and strikes out what is not any more. */
async function addOwn(
  { carried, stamp }: Change,
  messages: Map<string, CarriedMessage>,
  me: Identity,
): Promise<SentMessage[]> {
  const questions = await carried.questions(MOST_QUESTIONS)
  const answers = await carried.answers(MOST_QUESTIONS)
  const own = [
    ...questions.map((question) => toCarriedMessage(question, me)),
    ...answers.map(({ question, ...answer }) => ({
      ...toCarriedMessage(answer, { ...me, from: me.person }),
      answers: question,
    })),
  ]
  const open = new Set(own.map(keyOfCarried))
  const closed = [...messages.values()].filter(
    (message) =>
      message.clone === me.clone &&
      message.answers === undefined &&
      message.closed === undefined &&
      !open.has(keyOfCarried(message)),
  )
  for (const message of closed) {
    const struck = { ...message, subject: '', body: '', closed: stamp.at }
    messages.set(keyOfCarried(message), struck)
  }
  for (const message of own) messages.set(keyOfCarried(message), message)
  return [
    ...own.map(({ number }) => ({ id: number, state: 'sent' as const })),
    ...closed.map(({ number }) => ({ id: number, state: 'closed' as const })),
  ]
}

function toCarriedMessage(
  { id, at, fromName, taskId, subject, body, severity }: OwnMessage,
  { clone, person, from }: Identity & { readonly from?: string },
): CarriedMessage {
  return {
    clone,
    number: id,
    person,
    from: from ?? toName(fromName ?? ''),
    task: taskId ?? '',
    severity,
    subject: subject ?? '',
    body: toCarriedBody(body),
    at,
  }
}
