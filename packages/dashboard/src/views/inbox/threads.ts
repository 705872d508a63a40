import { groupBy } from '../../data/task/group-by.ts'
import type { Message } from '../../data/task/questions.ts'

export interface Thread {
  readonly key: string
  readonly task: number | undefined
  readonly messages: readonly Message[]
  readonly names: readonly string[]
  readonly last: number
}

/** Conversations, the latest first: by task, and those without one by who takes part. */
export function toThreads(messages: readonly Message[]): readonly Thread[] {
  const groups = groupBy(messages, keyOf)
  return [...groups]
    .map(([key, members]): Thread => ({
      key,
      task: members[0]?.task_number,
      messages: members.toSorted((one, other) => one.id - other.id),
      names: [...new Set(members.flatMap(namesOf))],
      last: Math.max(...members.map(({ id }) => id)),
    }))
    .toSorted((one, other) => other.last - one.last)
}

function keyOf(message: Message): string {
  if (message.task_number !== undefined) return `t${message.task_number}`
  if (message.to === undefined) return 'all'
  return [message.from, message.to].toSorted().join('-')
}

function namesOf({ from, from_name, to, to_name }: Message): readonly string[] {
  return [from_name ?? from, ...(to === undefined ? [] : [to_name ?? to])]
}

/** Whether the person takes part. */
export function isMine({ messages }: Thread): boolean {
  return messages.some(
    ({ from_owner, to, to_name }) =>
      from_owner === true || to === 'owner' || to_name === 'owner' || to === undefined,
  )
}
