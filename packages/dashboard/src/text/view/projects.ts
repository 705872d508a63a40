import { count } from '../plural.ts'

/** Words of the projects. */
export const projectsWords = {
  name: 'Project',
  questions: 'Questions',
  nothing: 'Nothing needs you in any project.',
  board: 'All projects',
  filter: 'Filter: words, project:shop, label:bug, @ada, p:high',
  moreToVerify: (n: number, name: string) =>
    `${count(n, 'more task', 'more tasks')} to verify in ${name}`,
} as const
