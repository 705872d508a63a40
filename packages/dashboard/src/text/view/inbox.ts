import { count } from '../plural.ts'

/** Words of the inbox and of messages. */
export const inboxWords = {
  severity: { info: 'info', warning: 'warning', handoff: 'handover', blocker: 'stop and read' },
  stopFirst: 'Stop and read this first',
  questions: 'Open questions',
  noQuestions: 'No agent waits for an answer.',
  conversations: 'Conversations',
  noMessages: 'No messages yet.',
  mine: 'With me',
  all: 'All',
  toAll: 'To all agents',
  between: (names: string) => names,
  write: 'Write to all agents',
  choose: 'Choose a conversation.',
  messages: (n: number) => count(n, 'message', 'messages'),
  you: 'you',
} as const
