import type { RateLimit } from '@waymark/baton/http'
import { Failure } from '../../core/error.ts'
import { isLoopbackUrl } from '../../support/loopback-url.ts'
import { isUsableSecret, USABLE_SECRET } from './secret-file.ts'
import { withoutEnd } from '../../support/text/without-end.ts'

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
  /** How fast one agent may send requests, unless that is not limited. */
  readonly rateLimit?: Pick<RateLimit, 'perSecond' | 'burst'>
}

type Environment = Readonly<Record<string, string | undefined>>

export const DEFAULT_PORT = '7777'
/** Requests in a second, more than any agent sends for long. */
const DEFAULT_RATE_LIMIT = '200'
/** For how many seconds a caller that was silent can make up at once. */
const BURST_SECONDS = 10
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

/** Flags, then the environment, then defaults. The TASKY_MCP_ names are those of the tasky dialect. */
export function readHttpSettings(flags: HttpFlags, env: Environment): HttpSettings {
  const oauth = readOAuth(env)
  const secret = readSecret(flags, env)
  const host = flags.host ?? first(env, 'WAYMARK_HOST', 'TASKY_MCP_HOST') ?? '127.0.0.1'
  const isLoopback = LOOPBACK.has(host)
  const publicUrl = readPublicUrl(flags.publicUrl ?? first(env, 'WAYMARK_PUBLIC_URL'))
  if (!isLoopback) {
    if (oauth === undefined && secret === undefined) throw unprotected(host)
    const isPlain = flags.plainHttp ?? first(env, 'WAYMARK_PLAIN_HTTP') === '1'
    if (!isPlain && publicUrl?.startsWith('https:') !== true) throw unencrypted(host)
  }
  const rateLimit = readRateLimit(
    flags.rateLimit ?? first(env, 'WAYMARK_RATE_LIMIT') ?? DEFAULT_RATE_LIMIT,
  )
  return {
    host,
    port: readPort(
      flags.port ??
        (typeof flags.http === 'string' ? flags.http : undefined) ??
        first(env, 'WAYMARK_PORT', 'TASKY_MCP_PORT') ??
        DEFAULT_PORT,
    ),
    isLoopback,
    ...(publicUrl !== undefined && { publicUrl }),
    allowedHosts: flags.allowedHost ?? listOf(first(env, 'WAYMARK_ALLOWED_HOSTS')),
    allowedOrigins: flags.allowedOrigin ?? listOf(first(env, 'WAYMARK_ALLOWED_ORIGINS')),
    ...(secret !== undefined && { secret }),
    ...(oauth !== undefined && { oauth }),
    ...(rateLimit !== undefined && { rateLimit }),
  }
}

function readOAuth(env: Environment): OAuthSettings | undefined {
  const issuer = first(env, 'OAUTH_ISSUER_URL', 'TASKY_MCP_OAUTH_ISSUER_URL')
  const clientIds = listOf(first(env, 'OAUTH_CLIENT_ID', 'TASKY_MCP_OAUTH_CLIENT_ID'))
  const audience = first(env, 'OAUTH_AUDIENCE', 'TASKY_MCP_OAUTH_AUDIENCE')
  if (issuer === undefined) {
    // Half of it is a mistake, and going on without it would let in others than was meant.
    if (clientIds.length === 0 && audience === undefined) return undefined
    throw invalid('OAUTH_ISSUER_URL', 'must be set when OAUTH_CLIENT_ID or OAUTH_AUDIENCE is')
  }
  // Without TLS, any machine on the way could answer with keys of its own and sign tokens with them.
  const isSafe = isWebAddress(issuer) && (/^https:/i.test(issuer) || isLoopbackUrl(issuer))
  if (!isSafe) {
    throw invalid(
      'OAUTH_ISSUER_URL',
      'must be an https address, or an http address of this machine (127.0.0.1, [::1], localhost)',
    )
  }
  return { issuer, clientIds, ...(audience !== undefined && { audience }) }
}

function readSecret({ secretFile }: HttpFlags, env: Environment): HttpSettings['secret'] {
  if (secretFile !== undefined) return { file: secretFile }
  const text = first(env, 'WAYMARK_HTTP_SECRET')?.trim()
  if (text === undefined) return undefined
  if (isUsableSecret(text)) return { text }
  throw invalid(
    'WAYMARK_HTTP_SECRET',
    `must be ${USABLE_SECRET}; leave it out for one that is made for you`,
  )
}

function readPort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw invalid('port', 'must be a whole number from 0 to 65535')
}

function readPublicUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (!isWebAddress(text) || /[?#]/.test(text))
    throw invalid('public-url', 'must be an address like https://waymark.example.com')
  return withoutEnd(text, '/')
}

function readRateLimit(text: string): HttpSettings['rateLimit'] {
  if (!/^\d{1,6}$/.test(text))
    throw invalid('rate-limit', 'must be a whole number of requests in a second, or 0 for no limit')
  const perSecond = Number(text)
  return perSecond === 0 ? undefined : { perSecond, burst: perSecond * BURST_SECONDS }
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

function invalid(field: string, message: string): Failure {
  return new Failure('invalid_input', `${field}: ${message}`, { details: { field } })
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function first(env: Environment, ...names: readonly string[]): string | undefined {
  return names.map((name) => env[name]).find((value) => value !== undefined && value !== '')
}

function listOf(text = ''): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
