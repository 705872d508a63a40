import { randomBytes } from 'node:crypto'
import { Failure } from '../core/error.ts'
import type { Client, Pool } from '../core/postgres/pool.ts'
import { sha256 } from '../support/hash/sha256.ts'
import { inAuditedChange, NOW, recordAudit } from './audit.ts'
import type { Role } from './roles.ts'
import { TEAM_SCHEMA } from './names.ts'

/** A token acts in one project; an invitation is exchanged for one, once. */
const TOKEN_KINDS = { token: 'wmt_', invitation: 'wmi_' } as const
export type TokenKind = keyof typeof TOKEN_KINDS

const TOKEN = /^(wmt_|wmi_)[\w-]{43}$/

/** What is known of a token; not the token itself, which is shown once. */
export interface TokenInfo {
  readonly id: string
  readonly kind: TokenKind
  readonly name: string
  readonly role: Role
  readonly scopes: readonly string[] | null
  readonly created_at: number
  readonly created_by: string
  readonly expires_at: number | null
  readonly revoked_at: number | null
  /** To within a minute. */
  readonly used_at: number | null
}

export interface NewToken {
  readonly projectId: string
  readonly kind: TokenKind
  /** Whom it is for; the name of its agents. */
  readonly name: string
  readonly role: Role
  /** Fewer than those of its role. */
  readonly scopes?: readonly string[]
  /** When it ends by itself. */
  readonly days?: number
  readonly actor: string
}

export interface CreatedToken {
  readonly id: string
  readonly token: string
  readonly expires_at: number | null
}

const DAY_MS = 86_400_000
/** As it is shown for a proved name. */
const NAME = /^[\w.@+-]{1,40}$/
const LONGEST_DAYS = 3650

export async function createToken(pool: Pool, token: NewToken): Promise<CreatedToken> {
  return await inAuditedChange(pool, (client) => insertToken(client, token))
}

async function insertToken(client: Client, wanted: NewToken): Promise<CreatedToken> {
  const { projectId, kind, name, role, scopes, days, actor } = wanted
  if (!NAME.test(name)) {
    const message = 'name: must be up to 40 letters, digits and . _ @ + -'
    throw new Failure('invalid_input', message, { details: { field: 'name' } })
  }
  if (days !== undefined && !(Number.isInteger(days) && days > 0 && days <= LONGEST_DAYS)) {
    const message = `days: must be a whole number from 1 to ${LONGEST_DAYS}`
    throw new Failure('invalid_input', message, { details: { field: 'days' } })
  }
  const id = randomBytes(6).toString('hex')
  const token = `${TOKEN_KINDS[kind]}${randomBytes(32).toString('base64url')}`
  const { rows } = await client.query<{ expires_at: number | null }>(
    `INSERT INTO ${TEAM_SCHEMA}.token
        (id, kind, hash, project_id, name, role, scopes, created_at, created_by, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, ${NOW}, $8, ${NOW} + $9::bigint)
      RETURNING expires_at`,
    [
      id,
      kind,
      sha256(token),
      projectId,
      name,
      role,
      scopes === undefined ? null : JSON.stringify(scopes),
      actor,
      days === undefined ? null : days * DAY_MS,
    ],
  )
  const expires = rows[0]?.expires_at ?? null
  const action = kind === 'token' ? 'token.created' : 'invitation.created'
  const details = { id, role, ...(scopes !== undefined && { scopes }), expires_at: expires }
  await recordAudit(client, { projectId, actor, action, subject: name, details })
  return { id, token, expires_at: expires }
}

type TokenRow = Omit<TokenInfo, 'scopes'> & { readonly scopes: string | null }

const COLUMNS = `id, kind, name, role, scopes, created_at, created_by, expires_at, revoked_at, used_at`

/** Newest first; also those that have ended. */
export async function listTokens(pool: Pool, projectId: string): Promise<readonly TokenInfo[]> {
  const { rows } = await pool.use((client) =>
    client.query<TokenRow>(
      `SELECT ${COLUMNS} FROM ${TEAM_SCHEMA}.token WHERE project_id = $1
        ORDER BY created_at DESC, id LIMIT 1000`,
      [projectId],
    ),
  )
  return rows.map(toInfo)
}

function toInfo(row: TokenRow): TokenInfo {
  return { ...row, scopes: row.scopes === null ? null : (JSON.parse(row.scopes) as string[]) }
}

export async function revokeToken(
  pool: Pool,
  { projectId, id, actor }: { projectId: string; id: string; actor: string },
): Promise<void> {
  await inAuditedChange(pool, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `UPDATE ${TEAM_SCHEMA}.token SET revoked_at = ${NOW}
        WHERE project_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING name`,
      [projectId, id],
    )
    const name = rows[0]?.name
    if (name === undefined) throw new Failure('not_found', 'no such token, or it has ended')
    const details = { id }
    await recordAudit(client, {
      projectId,
      actor,
      action: 'token.revoked',
      subject: name,
      details,
    })
  })
}

export interface ValidToken extends TokenInfo {
  readonly projectId: string
  /** When it was looked up, by the clock of the database. */
  readonly now: number
}

const USE_MS = 60_000

const VALID = `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${NOW})`

/** Undefined for a token that is unknown, revoked or expired. */
export async function findToken(pool: Pool, token: string): Promise<ValidToken | undefined> {
  if (!TOKEN.test(token)) return undefined
  return await pool.use(async (client) => {
    const { rows } = await client.query<TokenRow & { projectId: string; now: number }>(
      `SELECT ${COLUMNS}, project_id AS "projectId", ${NOW} AS now FROM ${TEAM_SCHEMA}.token
        WHERE hash = $1 AND ${VALID}`,
      [sha256(token)],
    )
    const [found] = rows
    if (found === undefined) return undefined
    if (found.now - (found.used_at ?? 0) >= USE_MS)
      await client.query(`UPDATE ${TEAM_SCHEMA}.token SET used_at = ${NOW} WHERE id = $1`, [
        found.id,
      ])
    return { ...toInfo(found), projectId: found.projectId, now: found.now }
  })
}

export interface RedeemedInvitation extends CreatedToken {
  readonly name: string
  readonly role: Role
}

/** How long the token of an invited member is valid. */
const INVITED_DAYS = 365

/** Of several that redeem an invitation at once, one gets the token. */
export async function redeemInvitation(
  pool: Pool,
  invitation: Pick<ValidToken, 'id' | 'projectId' | 'name' | 'role' | 'scopes'>,
): Promise<RedeemedInvitation> {
  const { id, projectId, name, role, scopes } = invitation
  return await inAuditedChange(pool, async (client) => {
    const { rowCount } = await client.query(
      `UPDATE ${TEAM_SCHEMA}.token SET revoked_at = ${NOW}, used_at = ${NOW}
        WHERE id = $1 AND kind = 'invitation' AND ${VALID}`,
      [id],
    )
    if (rowCount === 0) throw new Failure('not_found', 'the invitation was used or has expired')
    const actor = `invitation ${id}`
    await recordAudit(client, { projectId, actor, action: 'invitation.redeemed', subject: name })
    const wanted = { projectId, kind: 'token', name, role, days: INVITED_DAYS, actor } as const
    const limited = { ...wanted, ...(scopes !== null && { scopes }) }
    return { ...(await insertToken(client, limited)), name, role }
  })
}
