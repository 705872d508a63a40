import { Failure } from '../core/error.ts'
import type { Pool } from '../core/postgres/pool.ts'
import { inAuditedChange, recordAudit } from './audit.ts'
import { TEAM_SCHEMA as T } from './names.ts'

/** What a project, or each member of it, may use. */
export const QUOTA_KINDS = ['requests_per_minute', 'entities', 'artifact_bytes'] as const
export type QuotaKind = (typeof QUOTA_KINDS)[number]

/** For the project as a whole, and for each member that has none of its own. */
export const WHOLE_PROJECT = ''
export const EACH_MEMBER = '*'

export interface Quota {
  readonly kind: QuotaKind
  /** A member, `*` for each of them, or empty for the project. */
  readonly member: string
  readonly amount: number
}

export function parseQuotaKind(text: string): QuotaKind {
  const kind = QUOTA_KINDS.find((each) => each === text)
  if (kind !== undefined) return kind
  throw new Failure('invalid_input', `kind: must be one of ${QUOTA_KINDS.join(', ')}`, {
    details: { field: 'kind', valid: QUOTA_KINDS },
  })
}

export async function listQuotas(pool: Pool, projectId: string): Promise<readonly Quota[]> {
  const { rows } = await pool.use((client) =>
    client.query<Quota>(
      `SELECT kind, subject AS member, amount FROM ${T}.quota WHERE project_id = $1
        ORDER BY kind, subject`,
      [projectId],
    ),
  )
  return rows
}

export interface QuotaChange {
  readonly projectId: string
  readonly kind: QuotaKind
  readonly member: string
  /** Null for no limit. */
  readonly amount: number | null
  readonly actor: string
}

export async function setQuota(pool: Pool, change: QuotaChange): Promise<void> {
  const { projectId, kind, member, amount, actor } = change
  if (amount !== null && !(Number.isSafeInteger(amount) && amount >= 0))
    throw new Failure('invalid_input', 'amount: must be a whole number, or none', {
      details: { field: 'amount' },
    })
  if (member !== WHOLE_PROJECT && kind !== 'requests_per_minute') {
    const message = `member: ${kind} is a quota of the project; leave the member out`
    throw new Failure('invalid_input', message, { details: { field: 'member' } })
  }
  await inAuditedChange(pool, async (client) => {
    await (amount === null
      ? client.query(
          `DELETE FROM ${T}.quota WHERE project_id = $1 AND subject = $2 AND kind = $3`,
          [projectId, member, kind],
        )
      : client.query(
          `INSERT INTO ${T}.quota VALUES ($1, $2, $3, $4)
            ON CONFLICT (project_id, subject, kind) DO UPDATE SET amount = excluded.amount`,
          [projectId, member, kind, amount],
        ))
    const details = { kind, amount }
    await recordAudit(client, { projectId, actor, action: 'quota.set', subject: member, details })
  })
}

/** How long a replica goes by the quotas that it has read. */
const FRESH_MS = 5_000

/** The quotas of projects as a replica knows them, at most a few seconds old. */
export class KnownQuotas {
  readonly #pool: Pool
  readonly #known = new Map<string, { readonly until: number; quotas: Promise<readonly Quota[]> }>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async of(projectId: string): Promise<readonly Quota[]> {
    const known = this.#known.get(projectId)
    if (known !== undefined && performance.now() < known.until) return await known.quotas
    const quotas = listQuotas(this.#pool, projectId)
    this.#known.set(projectId, { until: performance.now() + FRESH_MS, quotas })
    try {
      return await quotas
    } catch (error) {
      this.#known.delete(projectId)
      throw error
    }
  }

  /** What one of them allows; undefined where it sets no limit. */
  async amount(projectId: string, kind: QuotaKind): Promise<number | undefined> {
    const quotas = await this.of(projectId)
    return quotas.find((one) => one.kind === kind && one.member === WHOLE_PROJECT)?.amount
  }

  forget(projectId: string): void {
    this.#known.delete(projectId)
  }
}
