import type { Principal } from '../../../server/call-context.ts'
import type { RequestMessage } from '../../../protocol/json-rpc.ts'
import type { Server } from '../../../server/server.ts'
import type { SessionState } from '../../../session/session.ts'

/** The response to `initialize`, and the negotiated state if it succeeded. */
export interface Initialization {
  readonly text: string
  readonly state: SessionState | undefined
}

/**
 * Runs `initialize` before there is a session, on a temporary connection. The connection of a session is always created
 * from the stored state, so that a session is served in the same way before and after a restart.
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
      onStateChange: (negotiated) => {
        state = negotiated
      },
      sink: {
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
