import { Failure } from '../core/error.ts'
import type { Pool } from '../core/postgres/pool.ts'
import { NOW } from './audit.ts'
import { TEAM_SCHEMA as T } from './names.ts'
import { EACH_MEMBER, type KnownQuotas, WHOLE_PROJECT } from './quotas.ts'

/** A replica reports its requests in parts of a quota this large, so all replicas together exceed it by little. */
const PARTS = 20

interface Count {
  /** Of all replicas in this minute, as last heard. */
  known: number
  /** Of this replica since then. */
  unsent: number
  /** When the minute of the database ends, by the clock of this process. */
  endsAt: number
}

/** Counts the requests of projects and members per minute of the database's clock, over all replicas. */
export class RequestMeter {
  readonly #pool: Pool
  readonly #quotas: KnownQuotas
  readonly #counts = new Map<string, Count>()

  constructor(pool: Pool, quotas: KnownQuotas) {
    this.#pool = pool
    this.#quotas = quotas
  }

  /** Throws where the project or the member has used up its quota. Costs nothing where there is no quota. */
  async count(projectId: string, member: string): Promise<void> {
    const limits = (await this.#quotas.of(projectId)).filter(
      ({ kind }) => kind === 'requests_per_minute',
    )
    const limitOf = (subject: string) => limits.find((one) => one.member === subject)?.amount
    const ofMember = limitOf(member) ?? limitOf(EACH_MEMBER)
    // The member first: one that floods does not use up what its project has.
    if (ofMember !== undefined) await this.#take(projectId, member, ofMember)
    const ofProject = limitOf(WHOLE_PROJECT)
    if (ofProject !== undefined) await this.#take(projectId, WHOLE_PROJECT, ofProject)
  }

  async #take(projectId: string, subject: string, limit: number): Promise<void> {
    const key = `${projectId} ${subject}`
    const now = performance.now()
    let count = this.#counts.get(key)
    if (count === undefined || now >= count.endsAt) {
      count = { known: 0, unsent: 0, endsAt: 0 }
      this.#counts.set(key, count)
      this.#forgetOld(now)
    }
    if (count.known + count.unsent >= limit) throw exceeded(subject, limit, count.endsAt - now)
    count.unsent += 1
    if (count.endsAt === 0 || count.unsent >= Math.max(1, Math.floor(limit / PARTS)))
      await this.#send(count, projectId, subject)
    if (count.known > limit) throw exceeded(subject, limit, count.endsAt - performance.now())
  }

  async #send(count: Count, projectId: string, subject: string): Promise<void> {
    const sent = count.unsent
    count.unsent = 0
    const { rows } = await this.#pool.use((client) =>
      client.query<{ requests: number; left: number }>(
        `INSERT INTO ${T}.usage AS u VALUES ($1, $2, ${NOW} / 60000, $3)
          ON CONFLICT (project_id, subject) DO UPDATE SET minute = excluded.minute,
            requests = excluded.requests
              + CASE WHEN u.minute = excluded.minute THEN u.requests ELSE 0 END
          RETURNING requests, 60000 - ${NOW} % 60000 AS left`,
        [projectId, subject, sent],
      ),
    )
    const { requests = 0, left = 0 } = rows[0] ?? {}
    count.known = requests
    count.endsAt = performance.now() + left
  }

  /** Counts of minutes that are over; many members may have come and gone. */
  #forgetOld(now: number): void {
    for (const [key, { endsAt }] of this.#counts)
      if (endsAt !== 0 && endsAt <= now) this.#counts.delete(key)
  }
}

function exceeded(subject: string, limit: number, leftMs: number): Failure {
  const seconds = Math.max(1, Math.ceil(leftMs / 1000))
  const [who, whose] =
    subject === WHOLE_PROJECT ? ['the project', 'organisation'] : [subject, 'project']
  return new Failure(
    'busy',
    `${who} may send ${limit} requests per minute and has; wait ${seconds} s, or ask an owner of the ${whose} for more`,
    { details: { reason: 'rate_limited', retry_after_seconds: seconds, limit } },
  )
}
