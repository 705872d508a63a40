import type { RateLimit } from '@waymark/baton/http'
import { Failure } from '../../core/error.ts'
import type { Environment } from '../../core/project/setting.ts'
import { readSetting, type SettingName } from '../../core/project/settings.ts'

/** Command-line options for HTTP. */
export interface HttpFlags {
  /** The port, or true when none was given. */
  readonly http?: string | true
  readonly host?: string
  readonly port?: string
  readonly publicUrl?: string
  readonly allowedHost?: readonly string[]
  readonly allowedOrigin?: readonly string[]
  readonly secretFile?: string
  readonly plainHttp?: boolean
  readonly rateLimit?: string
  /** The address, or true for the one of the environment. */
  readonly database?: string | true
  readonly artifacts?: string
  readonly drainSeconds?: string
}

/** A database whose projects are served. */
export interface DatabaseSettings {
  readonly url: string
  readonly connections: number
  /** The claim of OAuth tokens that may hold roles. */
  readonly roleClaim: string
  /** Folder for the bytes of artifacts. */
  readonly artifacts?: string
}

/** Which tokens are accepted, where OAuth is configured. */
export interface OAuthSettings {
  readonly issuer: string
  /** Clients whose tokens are taken; those of all when empty. */
  readonly clientIds: readonly string[]
  /** The required audience of tokens; the address of the server when absent. */
  readonly audience?: string
}

export interface HttpSettings {
  readonly host: string
  readonly port: number
  readonly isLoopback: boolean
  /** Without a slash at its end. */
  readonly publicUrl?: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** A secret that the user chose. */
  readonly secret?: { readonly text: string } | { readonly file: string }
  readonly oauth?: OAuthSettings
  /** Absent where projects are in folders. */
  readonly database?: DatabaseSettings
  readonly drainMs: number
  /** How fast one agent may send requests, unless that is not limited. */
  readonly rateLimit?: Pick<RateLimit, 'perSecond' | 'burst'>
}

/** For how many seconds a caller that was silent can make up at once. */
const BURST_SECONDS = 10
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

/** Flags, then the environment, then defaults. */
export function readHttpSettings(flags: HttpFlags, env: Environment): HttpSettings {
  const read = <K extends SettingName & keyof HttpFlags>(name: K) =>
    readSetting(name, { env, flag: flags[name] })
  const oauth = readOAuth(env)
  const secret = readSecret(flags, env)
  const database = readDatabase(flags, env)
  const host = read('host')
  const isLoopback = LOOPBACK.has(host)
  const publicUrl = read('publicUrl')
  if (!isLoopback) {
    if (oauth === undefined && secret === undefined && database === undefined)
      throw unprotected(host)
    if (!read('plainHttp') && publicUrl?.startsWith('https:') !== true) throw unencrypted(host)
  }
  const perSecond = read('rateLimit')
  const givesPort = flags.port === undefined && typeof flags.http === 'string'
  return {
    host,
    port: (givesPort ? read('http') : undefined) ?? read('port'),
    isLoopback,
    ...(publicUrl !== undefined && { publicUrl }),
    allowedHosts: read('allowedHost'),
    allowedOrigins: read('allowedOrigin'),
    ...(secret !== undefined && { secret }),
    ...(oauth !== undefined && { oauth }),
    ...(database !== undefined && { database }),
    drainMs: read('drainSeconds') * 1000,
    ...(perSecond > 0 && { rateLimit: { perSecond, burst: perSecond * BURST_SECONDS } }),
  }
}

function readOAuth(env: Environment): OAuthSettings | undefined {
  const issuer = readSetting('oauthIssuer', { env })
  const clientIds = readSetting('oauthClients', { env })
  const audience = readSetting('oauthAudience', { env })
  if (issuer !== undefined)
    return { issuer, clientIds, ...(audience !== undefined && { audience }) }
  // Half of it is a mistake, and going on without it would let in others than was meant.
  if (clientIds.length === 0 && audience === undefined) return undefined
  throw new Failure(
    'invalid_input',
    'OAUTH_ISSUER_URL: must be set when OAUTH_CLIENT_ID or OAUTH_AUDIENCE is',
    { details: { field: 'OAUTH_ISSUER_URL' } },
  )
}

/** Projects in folders may be in a database too, so the variable alone does not mean that all of it is served. */
function readDatabase(flags: HttpFlags, env: Environment): DatabaseSettings | undefined {
  const { database, artifacts: folder } = flags
  const artifacts = readSetting('artifacts', { env, flag: folder })
  if (database === undefined) {
    if (folder === undefined) return undefined
    throw new Failure('invalid_input', '--artifacts: goes with --database', {
      details: { field: 'artifacts' },
    })
  }
  const flag = typeof database === 'string' ? { flag: database } : {}
  const url = readSetting('database', { env, ...flag })
  if (url === undefined) {
    throw new Failure(
      'invalid_input',
      '--database: name a database, or set WAYMARK_DATABASE_URL, which keeps a password out of the process list',
      { details: { field: 'database' } },
    )
  }
  const connections = readSetting('databaseConnections', { env })
  const roleClaim = readSetting('oauthRoleClaim', { env })
  return { url, connections, roleClaim, ...(artifacts !== undefined && { artifacts }) }
}

function readSecret({ secretFile }: HttpFlags, env: Environment): HttpSettings['secret'] {
  if (secretFile !== undefined) return { file: secretFile }
  const text = readSetting('httpSecret', { env })
  return text === undefined ? undefined : { text }
}

function unencrypted(host: string): Failure {
  return new Failure(
    'invalid_input',
    `host: ${host} would serve plain HTTP: use a TLS proxy with --public-url https://…, or pass --plain-http on a trusted network`,
    { details: { field: 'host', value: host } },
  )
}

function unprotected(host: string): Failure {
  return new Failure(
    'invalid_input',
    `host: others could reach ${host}: configure OAuth (OAUTH_ISSUER_URL), or choose a secret (WAYMARK_HTTP_SECRET or --secret-file)`,
    { details: { field: 'host', value: host } },
  )
}
