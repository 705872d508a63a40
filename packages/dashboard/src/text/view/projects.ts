/** Words of the projects. */
export const projectsWords = {
  name: 'Project',
  questions: 'Questions',
} as const
