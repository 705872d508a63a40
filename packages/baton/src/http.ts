export type { TokenClaims } from './auth/token/access-token.ts'
export { createResourceServer } from './auth/resource-server.ts'
export type { ResourceServer, ResourceServerOptions } from './auth/resource-server.ts'
export { createSecretAuthenticator } from './auth/shared-secret.ts'
export type { Authentication, Authenticator, Credentials } from './auth/authenticator.ts'
export type { Denial } from './auth/denial.ts'
export type { VerifiedPrincipal } from './auth/principal.ts'
export { createRequestGuard } from './auth/request-guard.ts'
export type { GuardedRequest, RequestGuard, RequestGuardOptions } from './auth/request-guard.ts'
export type { ResourceMetadata } from './auth/resource-metadata.ts'
export type { Operation, ScopePolicy } from './auth/scope-policy.ts'
export { findJsonExcess } from './internal/json-text.ts'
export type { EventLog, Replay, StreamEvent } from './session/event-log.ts'
export { MemorySessionStore } from './session/memory/session-store.ts'
export type { RecordKey, RecordStore, RecordWrite, StoredRecord } from './session/record-store.ts'
export { DEFAULT_SESSION_LIMITS } from './session/session-limits.ts'
export type { SessionLimits, SessionStoreOptions } from './session/session-limits.ts'
export { SessionCapacityError } from './session/session-store.ts'
export type { SessionStats, SessionStore } from './session/session-store.ts'
export type {
  EndedSession,
  NewSession,
  Session,
  SessionActivity,
  SessionState,
} from './session/session.ts'
export { createHonoRouter } from './transport/http/hono-router.ts'
export type { AdmittedRequest, HttpEndpoint } from './transport/http/endpoint.ts'
export type { HttpRefusal } from './transport/http/http-error.ts'
export { createHttpHandler } from './transport/http/http-handler.ts'
export type { HttpOptions } from './transport/http/http-handler.ts'
export type {
  EventSink,
  HttpAnswer,
  HttpReply,
  HttpRequest,
} from './transport/http/http-message.ts'
export { createHttpApp } from './transport/http/http-app.ts'
export type { HttpHandler, HttpAppOptions } from './transport/http/http-app.ts'
export { createHttpServer } from './transport/http/http-server.ts'
export type { HttpServer } from './transport/http/http-server.ts'
export { createMcpEndpoint } from './transport/http/mcp/mcp-endpoint.ts'
export type {
  McpEndpoint,
  McpEndpointOptions,
  SessionRestorer,
} from './transport/http/mcp/mcp-endpoint.ts'
export type { SessionEvent } from './transport/http/session/live-sessions.ts'
export type { RateLimit } from './transport/http/rate-limiter.ts'
