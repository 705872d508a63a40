import type { SearchDocument } from '../search/text/document.ts'
import type { MessageRow } from './store.ts'

/** A message to all agents is found like any other shared text. */
export function toMessageDocument({
  id,
  subject,
  body,
  fromAgent,
  severity,
  at,
}: MessageRow): SearchDocument {
  const [firstLine = ''] = body.trim().split('\n')
  return {
    kind: 'message',
    ref: String(id),
    type: 'message',
    status: severity,
    title: subject ?? firstLine.slice(0, 100),
    body,
    tags: [],
    author: fromAgent,
    createdAt: at,
    updatedAt: at,
  }
}
