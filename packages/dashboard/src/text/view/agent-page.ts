/** Words of the page of an agent. */
export const agentPageWords = {
  all: 'All agents',
  client: 'Host',
  model: 'Model',
  worktree: 'Worktree',
  joined: 'Joined',
  seen: 'Last seen',
  record: 'In 30 days',
  doneAndLost: (done: number, lost: number) => `${done} finished, ${lost} lost`,
  median: (length: string) => `half of them within ${length}`,
  holds: 'Holds',
  holdsNothing: 'Holds nothing.',
  lately: 'Lately',
  missing: 'No agent of this name is here now.',
} as const
