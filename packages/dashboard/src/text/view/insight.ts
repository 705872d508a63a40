import { count, formatNumber } from '../plural.ts'

/** Words of the insight. */
export const insightWords = {
  range: 'Days',
  days: (n: number) => count(n, 'day', 'days'),
  done: 'Finished',
  byDay: 'Finished by day',
  doneHint: (n: number) => `tasks in ${count(n, 'day', 'days')}`,
  leadTime: 'Lead time',
  leadHint: 'half of the tasks were faster',
  waited: 'Waited for people',
  waitedHint: 'answers and verifications together',
  verification: 'Waited to be verified',
  questions: 'Waited for an answer',
  waiting: 'Waits longest',
  unblocks: 'Unblocks most',
  waits: (n: number) => `${count(n, 'task waits', 'tasks wait')}`,
  none: 'Nothing.',
  more: (n: number) => `${formatNumber(n)} in all`,
} as const
