import { count } from '../plural.ts'

/** Words of the activity, of changes and of undoing them. */
export const activityWords = {
  noFields: 'no field changed',
  created: 'created it',
  heldBy: 'held by',
  filter: 'Filter by agent, type or words',
  noise: 'Show renewals and links',
  nothing: 'Nothing matches.',
  older: 'Load older events',
  allLoaded: 'This is the beginning.',
  show: 'What changed',
  undoAuthor: 'Undo…',
  undoTitle: 'Undo everything by one author since a time',
  author: 'Author',
  since: 'Since',
  preview: 'Preview',
  apply: (n: number) => `Undo ${count(n, 'change', 'changes')}`,
  nothingToUndo: 'Nothing to undo.',
  outcome: { reverted: 'reverted', deleted: 'deleted', restored: 'restored', kept: 'kept' },
  kept: (fields: string) => `changed or held since, so it stays: ${fields}`,
  undoThis: 'Undo this…',
  comesBack: 'This would come back:',
  applyChanges: (n: number) => `Undo ${count(n, 'field', 'fields')}`,
  shown: (n: number) => count(n, 'event', 'events'),
} as const
