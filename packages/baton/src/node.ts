export type { SqliteDatabase, SqliteModule, SqliteStatement, SqliteValue } from '@waymark/sqlite'
export { openPostgresSessionStore } from './session/postgres/open-session-store.ts'
export type { PostgresSessionStoreOptions } from './session/postgres/open-session-store.ts'
export type { SessionDatabase } from './session/postgres/session-database.ts'
export { sessionTables } from './session/postgres/session-tables.ts'
export { openSqliteSessionStore } from './session/sqlite/open-session-store.ts'
export type { SqliteSessionStoreOptions } from './session/sqlite/session-store.ts'
export { toNodeListener } from './transport/http/node/node-adapter.ts'
export { listenHandler, listenHttp } from './transport/http/node/node-listener.ts'
export type {
  AddressOptions,
  BoundAddress,
  ConnectionLimits,
  HttpListener,
  ListenOptions,
} from './transport/http/node/node-listener.ts'
export { serveStdio } from './transport/stdio.ts'
export type { StdioEnd, StdioHandle, StdioOptions } from './transport/stdio.ts'
