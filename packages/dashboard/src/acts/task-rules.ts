import { me } from '../data/session.ts'
import type { Task } from '../data/task/task.ts'

export const isOpen = (task: Task): boolean => task.status !== 'done' && task.status !== 'cancelled'
export const isMine = ({ holder }: Task): boolean =>
  holder !== undefined && holder.name === me.value?.name
export const isAgents = (task: Task): boolean => task.holder !== undefined && !isMine(task)
/** Forcing any change of a held task would end its lease, so only acts that say so are offered for it. */
export const isFree = (task: Task): boolean => isOpen(task) && !isAgents(task)
export const id = (task: Task): string => String(task.number)

/** Overruling an agent needs force, and says so in the command too. */
export const force = (task: Task): { force?: true } => (isAgents(task) ? { force: true } : {})
export const forced = (task: Task): string => (isAgents(task) ? ' --force' : '')
export const because = (reason: string): { reason?: string } => (reason === '' ? {} : { reason })
