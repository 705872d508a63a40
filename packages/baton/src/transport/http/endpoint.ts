import type { Authenticator } from '../../auth/authenticator.ts'
import type { VerifiedPrincipal } from '../../auth/principal.ts'
import type { Server } from '../../server/server.ts'
import type { SessionStore } from '../../session/session-store.ts'
import type { HttpReply, HttpRequest } from './http-message.ts'
import type { LiveSessions } from './session/live-sessions.ts'
import type { OpenStreams } from './session/open-streams.ts'

/** State that all endpoints of a handler share. */
export interface EndpointContext {
  readonly server: Server
  readonly store: SessionStore
  readonly sessions: LiveSessions
  readonly streams: OpenStreams
  readonly authenticator: Authenticator | undefined
  /** Maximum unread bytes on one stream. */
  readonly maxBacklog: number
  /** Gets the errors whose details are not sent to clients. */
  readonly onError: (error: unknown) => void
}

/** A request whose host, origin and caller have been checked. */
export interface AdmittedRequest {
  readonly request: HttpRequest
  readonly reply: HttpReply
  readonly principal: VerifiedPrincipal
}

/** Serves the requests of a path, after their host, origin and caller have been checked. */
export interface HttpEndpoint {
  /** Whether callers need no credentials; the host and origin are checked anyway. */
  readonly isPublic?: boolean
  serve(admitted: AdmittedRequest): Promise<void>
}
