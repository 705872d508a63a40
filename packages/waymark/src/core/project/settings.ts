import { LOG_LEVELS } from '../../support/logger.ts'
import { COORDINATIONS } from './coordination.ts'
import {
  DATABASE_ADDRESS,
  LIST,
  MILLISECONDS,
  oneOf,
  PORT,
  POSITIVE,
  PUBLIC_ADDRESS,
  RATE,
  SAFE_ADDRESS,
  SECONDS,
  SECRET,
  SWITCH,
  TEXT,
  textUpTo,
  WEB_ADDRESS,
} from './setting-kinds.ts'
import { readValue, type Setting, type Sources } from './setting.ts'

type Table = Readonly<Record<string, Setting<unknown>>>

/**
 * Settings that the project's file may have as keys. A number of a project may neither stop all work nor lift the limits
 * that protect this machine. The MEDULLA_ and TASKY_MCP_ names are those of the dialects.
 */
export const PROJECT_SETTINGS = {
  logLevel: {
    ...oneOf(LOG_LEVELS),
    env: ['WAYMARK_LOG_LEVEL', 'MEDULLA_LOG_LEVEL'],
    default: 'info',
    project: { kind: 'any' },
    about: `what is logged: ${LOG_LEVELS.join(', ')}; without a variable, the dialect medulla reads \`RUST_LOG\``,
  },
  requestTimeoutMs: {
    ...MILLISECONDS,
    env: ['WAYMARK_REQUEST_TIMEOUT_MS', 'MEDULLA_REQUEST_TIMEOUT_MS', 'TASKY_MCP_TIMEOUT_SECONDS'],
    flag: '--timeout-seconds <number>',
    inSeconds: ['TASKY_MCP_TIMEOUT_SECONDS', '--timeout-seconds'],
    default: 30_000,
    project: { kind: 'range', least: 5_000, most: 3_600_000 },
    about:
      'how long one request to a server may take, in milliseconds; the flag and `TASKY_MCP_TIMEOUT_SECONDS` are in seconds',
    help: 'stop a request that takes longer',
  },
  maxConcurrentRequests: {
    ...POSITIVE,
    env: ['WAYMARK_MAX_CONCURRENT_REQUESTS', 'TASKY_MCP_MAX_CONCURRENT_REQUESTS'],
    flag: '--max-concurrent-requests <number>',
    default: 128,
    project: { kind: 'range', least: 8, most: 1_024 },
    about: 'how many requests of one connection run at the same time; more of them wait',
    help: 'queue requests above this number',
  },
  maxBatchSize: {
    ...POSITIVE,
    env: ['WAYMARK_MAX_BATCH_SIZE', 'MEDULLA_MAX_BATCH_SIZE'],
    default: 100,
    project: { kind: 'range', least: 10, most: 1_000 },
    about: 'how many operations one batch may hold',
  },
  maxArtifactBytes: {
    ...POSITIVE,
    env: ['WAYMARK_MAX_ARTIFACT_BYTES'],
    default: 2 ** 30,
    project: { kind: 'range', least: 2 ** 20, most: 2 ** 30 },
    about: 'how large an artifact may be',
  },
  coordination: {
    ...oneOf(COORDINATIONS),
    env: ['WAYMARK_COORDINATION'],
    default: 'auto',
    project: { kind: 'any' },
    about:
      'who grants claims: `local`, this clone alone; `git`, the remote, for all clones; `auto`, the remote once the project is synced with one ([guide](../guides/teams.md))',
  },
  actor: {
    ...textUpTo(100),
    env: ['WAYMARK_ACTOR'],
    flag: '--actor <name>',
    project: {
      kind: 'never',
      reason: 'a project cannot name the agents of those who clone it',
      instead: ['WAYMARK_ACTOR'],
    },
    about: 'name to write beside changes; git’s `user.name` or the name of the client when absent',
    help: 'name to write beside changes (WAYMARK_ACTOR; default: git user.name)',
  },
  allowedSecrets: {
    ...LIST,
    expects: 'must be a list of fingerprints, as the errors name them',
    isPrivate: true,
    env: ['WAYMARK_ALLOWED_SECRETS'],
    default: [],
    project: { kind: 'fingerprints' },
    about:
      'fingerprints and rules of text that looks like a secret and may be stored all the same ([guide](../guides/secrets.md)); the variable takes several with commas, beside those of the file',
  },
  description: {
    ...textUpTo(2000),
    env: [],
    project: { kind: 'any' },
    about: 'what the project is about, for agents that are new to it; 2,000 characters at most',
  },
  embedding: {
    ...TEXT,
    env: [],
    project: {
      kind: 'never',
      reason: 'a project cannot say where your texts are sent',
      instead: ['WAYMARK_EMBEDDING_URL', 'WAYMARK_EMBEDDING_MODEL'],
    },
    about: 'the model that judges what texts mean; words alone when absent; see below',
  },
} as const satisfies Table

/**
 * Only the environment names a model, which is the user's own. A project's file comes with a clone: it cannot say where
 * the texts and the key are sent, not even on this machine, where anything may listen.
 */
export const EMBEDDING_SETTINGS = {
  embeddingUrl: {
    ...WEB_ADDRESS,
    env: ['WAYMARK_EMBEDDING_URL'],
    about:
      'address in front of `/embeddings` at a service that answers as OpenAI’s does, such as `http://127.0.0.1:11434/v1`; with it, search judges by meaning unless told not to',
  },
  embeddingModel: {
    ...TEXT,
    env: ['WAYMARK_EMBEDDING_MODEL'],
    about: 'name of the model there; required beside the address',
  },
  embeddingKey: {
    ...TEXT,
    env: ['WAYMARK_EMBEDDING_KEY'],
    about: 'the key that is sent there, if it wants one',
  },
  embeddingKeyVariable: {
    ...TEXT,
    env: ['WAYMARK_EMBEDDING_KEY_VARIABLE'],
    default: 'WAYMARK_EMBEDDING_KEY',
    about: 'name of another variable that holds the key',
  },
  rerankUrl: {
    ...WEB_ADDRESS,
    env: ['WAYMARK_RERANK_URL'],
    about:
      'address in front of `/rerank` at a service that answers as those of Cohere, Jina or vLLM do; beside an embedding model, it puts the best results in order',
  },
  rerankModel: {
    ...TEXT,
    env: ['WAYMARK_RERANK_MODEL'],
    about: 'name of the model there; required beside the address',
  },
  rerankKey: {
    ...TEXT,
    env: ['WAYMARK_RERANK_KEY'],
    about:
      'the key that is sent there; without it that of the embedding model, if both are at the same host and port',
  },
} as const satisfies Table

/** The keys of settings with a flag are what commander calls the flag. */
export const SERVER_SETTINGS = {
  toolsets: {
    ...TEXT,
    env: ['WAYMARK_TOOLSETS'],
    flag: '--toolsets <names>',
    about: 'groups of tools: core, graph, entities, code, artifacts, admin, all',
  },
  sync: {
    ...SWITCH,
    env: ['WAYMARK_SYNC'],
    flag: '--sync',
    default: false,
    about:
      '`1`: a server also keeps its clone current with the Git remote, as `waymark sync --watch` does ([guide](../guides/teams.md))',
    help: 'keep this clone current with its Git remote meanwhile, as `waymark sync --watch` does',
  },
  http: {
    ...PORT,
    env: [],
    flag: '--http [port]',
    about: 'serve over HTTP on this machine; the port is that of --port when absent',
  },
  host: {
    ...TEXT,
    env: ['WAYMARK_HOST', 'TASKY_MCP_HOST'],
    flag: '--host <address>',
    default: '127.0.0.1',
    about: 'serve over HTTP at this address',
  },
  port: {
    ...PORT,
    env: ['WAYMARK_PORT', 'TASKY_MCP_PORT'],
    flag: '--port <number>',
    default: 7777,
    about: 'serve over HTTP on this port; 0 takes a free one',
  },
  publicUrl: {
    ...PUBLIC_ADDRESS,
    env: ['WAYMARK_PUBLIC_URL'],
    flag: '--public-url <url>',
    about: 'address that clients use, when a proxy is in between',
  },
  allowedHost: {
    ...LIST,
    env: ['WAYMARK_ALLOWED_HOSTS'],
    flag: '--allowed-host <name>',
    default: [],
    about: 'name that clients may call the server by; several with commas',
    help: 'name that clients may call the server by; repeat',
  },
  allowedOrigin: {
    ...LIST,
    env: ['WAYMARK_ALLOWED_ORIGINS'],
    flag: '--allowed-origin <origin>',
    default: [],
    about: 'web page that may call the server; several with commas',
    help: 'web page that may call the server; repeat',
  },
  database: {
    ...DATABASE_ADDRESS,
    env: ['WAYMARK_DATABASE_URL'],
    flag: '--database [url]',
    about:
      'serve all projects of this PostgreSQL database, without their working trees; the flag is needed, and takes the address of the variable when it has none ([guide](../guides/team-server.md))',
    help: 'serve the projects of a PostgreSQL database; the address is WAYMARK_DATABASE_URL when absent',
  },
  databaseConnections: {
    ...POSITIVE,
    env: ['WAYMARK_DATABASE_CONNECTIONS'],
    default: 10,
    about: 'connections of one process to the database, beside the one that hears of commits',
  },
  artifacts: {
    ...TEXT,
    env: ['WAYMARK_ARTIFACTS'],
    flag: '--artifacts <place>',
    about:
      'with --database: folder for the bytes of artifacts, which all replicas must share, or `s3://bucket/prefix` ([guide](../guides/team-server.md#artifacts)); without it, artifacts are refused',
    help: 'with --database: folder for the bytes of artifacts, shared by all replicas, or s3://bucket',
  },
  drainSeconds: {
    ...SECONDS,
    env: ['WAYMARK_DRAIN_SECONDS'],
    flag: '--drain-seconds <number>',
    default: 0,
    about:
      'how long the server still takes requests after it was told to stop, while `/ready` says no, so that a load balancer can turn away first',
    help: 'still take requests for so long after a signal, while /ready says no',
  },
  secretFile: {
    ...TEXT,
    env: [],
    flag: '--secret-file <path>',
    about: 'file with the secret that callers have to know',
  },
  httpSecret: {
    ...SECRET,
    env: ['WAYMARK_HTTP_SECRET'],
    about: 'the secret that callers have to know, instead of the one in a file',
  },
  plainHttp: {
    ...SWITCH,
    env: ['WAYMARK_PLAIN_HTTP'],
    flag: '--plain-http',
    default: false,
    about: '`1`: serve other machines without TLS, on a trusted network',
    help: 'serve other machines without TLS, on a trusted network',
  },
  rateLimit: {
    ...RATE,
    env: ['WAYMARK_RATE_LIMIT'],
    flag: '--rate-limit <number>',
    // More than any agent sends for long.
    default: 200,
    about: 'requests that one agent may send in a second; 0 for no limit',
  },
  oauthIssuer: {
    ...SAFE_ADDRESS,
    env: ['OAUTH_ISSUER_URL', 'TASKY_MCP_OAUTH_ISSUER_URL'],
    about: 'whose tokens are taken; an https address, or an http address of this machine',
  },
  oauthClients: {
    ...LIST,
    env: ['OAUTH_CLIENT_ID', 'TASKY_MCP_OAUTH_CLIENT_ID'],
    default: [],
    about:
      'clients whose tokens are taken by their claim `client_id`, several with commas; those of all when absent',
  },
  oauthAudience: {
    ...TEXT,
    env: ['OAUTH_AUDIENCE', 'TASKY_MCP_OAUTH_AUDIENCE'],
    about: 'what tokens must be meant for; the address of the server when absent',
  },
  oauthRoleClaim: {
    ...TEXT,
    env: ['OAUTH_ROLE_CLAIM'],
    default: 'waymark_roles',
    about:
      'with --database: the claim that gives roles to those who are no members, such as `{"api": "agent"}` or `["*:reader"]`',
  },
} as const satisfies Table

const SETTINGS = { ...PROJECT_SETTINGS, ...EMBEDDING_SETTINGS, ...SERVER_SETTINGS }
type Rows = typeof SETTINGS
export type SettingName = keyof Rows

type Parsed<Row> = Row extends { parse: (given: unknown) => infer T }
  ? Exclude<T, undefined>
  : never
type Value<Row> = Parsed<Row> | (Row extends { default: unknown } ? never : undefined)

/** Compares the type of each default with that of its parser. */
const TYPED: { readonly [K in SettingName]: Setting<Parsed<Rows[K]>> } = SETTINGS

/** A setting from its flag, else the environment, else the project's file, else its default. */
export function readSetting<K extends SettingName>(name: K, sources: Sources): Value<Rows[K]> {
  // Undefined only where the row has no default.
  return readValue(name, TYPED[name], sources) as Value<Rows[K]>
}
