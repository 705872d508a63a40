import type { Authenticator } from '../../auth/authenticator.ts'
import type { VerifiedPrincipal } from '../../auth/principal.ts'
import type { Server } from '../../server/server.ts'
import type { SessionStore } from '../../session/session-store.ts'
import type { HttpReply, HttpRequest } from './http-message.ts'
import type { LiveSessions } from './live-sessions.ts'
import type { OpenStreams } from './open-streams.ts'

/** What all endpoints of a handler share. */
export interface EndpointParts {
  readonly server: Server
  readonly store: SessionStore
  readonly sessions: LiveSessions
  readonly streams: OpenStreams
  readonly authenticator: Authenticator | undefined
  /** Bytes a client may leave unread on one stream. */
  readonly maxBacklog: number
  /** Hears of errors that clients get no details of. */
  readonly onError: (error: unknown) => void
}

/** A request whose host, origin and caller have been checked. */
export interface AdmittedRequest {
  readonly request: HttpRequest
  readonly reply: HttpReply
  readonly principal: VerifiedPrincipal
}

/** What answers at some path. It gets only requests whose host, origin and caller have been checked. */
export interface HttpEndpoint {
  serve(admitted: AdmittedRequest): Promise<void>
}
