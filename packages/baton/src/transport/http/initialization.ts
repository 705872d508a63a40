import type { Principal } from '../../server/call-context.ts'
import type { RequestMessage } from '../../protocol/json-rpc.ts'
import type { Server } from '../../server/server.ts'
import type { SessionState } from '../../session/session.ts'

/** The answer to `initialize`, and what was agreed on if it was a yes. */
export interface Initialization {
  readonly text: string
  readonly state: SessionState | undefined
}

/**
 * Lets the server answer `initialize` before there is a session. The connection is used for nothing else: a session's own
 * is always made from what is stored, so that a session is served in the same way before and after a restart.
 */
export function initialize(
  server: Server,
  message: RequestMessage,
  principal: Principal,
): Promise<Initialization> {
  return new Promise((resolve) => {
    let state: SessionState | undefined
    const connection = server.connect({
      principal,
      transport: 'tcp',
      onStateChange: (agreed) => {
        state = agreed
      },
      outlet: {
        send(frame) {
          if (frame.kind !== 'response') return
          resolve({ text: frame.text, state: frame.errorCode === undefined ? state : undefined })
          connection.close()
        },
      },
    })
    connection.receive(message)
  })
}
