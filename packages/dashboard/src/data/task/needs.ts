import { computed } from '@preact/signals'
import { proposals, questions, type Status, status } from './questions.ts'
import type { Task } from './task.ts'
import { allTasks, tasksVersion } from './tasks.ts'

export type Question = Status['questions'][number]

export const questionCount = computed(() => questions.value.length)

/** Tasks that agents no longer get, because their leases ran out too often. */
export const parkedTasks = computed((): readonly Task[] => {
  void tasksVersion.value
  return allTasks().filter(({ isParked }) => isParked)
})

/** What waits for a person: questions, work to verify, proposed decisions, tasks that were set aside, edits that collided. */
export const needCount = computed(() => {
  const now = status.value
  if (now === undefined) return 0
  return (
    now.questions.length +
    now.to_verify_total +
    proposals.value.total +
    now.changed_twice.length +
    parkedTasks.value.length
  )
})
