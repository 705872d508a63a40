import type { Message } from '../../data/task/questions.ts'
import { inboxWords } from '../../text/view/inbox.ts'

/** The text of a message, never as HTML, with how urgent it is. */
export function MessageText({
  message: { subject, body, severity, to_name },
}: {
  readonly message: Message
}) {
  return (
    <div class={`message ${severity}`}>
      {(severity !== 'info' || to_name !== undefined) && (
        <p class="muted">
          {severity !== 'info' && <strong>{inboxWords.severity[severity]} </strong>}
          {to_name !== undefined && `→ ${to_name}`}
        </p>
      )}
      {subject !== undefined && <strong>{subject}</strong>}
      <p class="plain-text">{body}</p>
    </div>
  )
}
