/** Words of what happened since the last visit. */
export const sinceWords = {
  today: 'Today',
  visit: (when: string) => `Since you were here (${when})`,
  nothing: 'Nothing has happened.',
  what: {
    'task.done': 'finished',
    'task.verified': 'verified',
    'task.reopened': 'reopened',
    'task.claimed': 'taken',
    'lease.expired': 'lost',
    'task.taken_back': 'taken back',
    'message.sent': 'written',
    'question.answered': 'answered',
    'entity.created': 'added',
    'entity.updated': 'changed',
    'annotation.created': 'explained',
    'agent.joined': 'joined',
  },
} as const
