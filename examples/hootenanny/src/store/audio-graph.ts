import { randomUUID } from 'node:crypto'
import { StudioError } from '../error.ts'
import type { Database } from './database.ts'
import type {
  Connection,
  DetailedIdentity,
  GraphChange,
  Hint,
  Identity,
  NewConnection,
} from './device.ts'

const CHANGES_SHOWN = 100
const TAGS = `(SELECT json_group_array(namespace || ':' || value ORDER BY namespace, value)
                 FROM identity_tag WHERE identity_id = identity.id) AS tags`

const CABLE = `id, from_identity || ':' || from_port AS "from", to_identity || ':' || to_port AS "to", transport`

/** What devices there are and how they are wired; every change is written down. */
export class AudioGraph {
  readonly #database: Database
  readonly #now: () => number

  constructor(database: Database, now: () => number) {
    this.#database = database
    this.#now = now
  }

  /** Registers a device or renames it. A hint belongs to one device, so it moves to the one that claims it last. */
  bind(
    id: string,
    name: string,
    hints: readonly Hint[],
  ): { readonly identity: DetailedIdentity; readonly losers: readonly string[] } {
    return this.#database.transaction(() => {
      const owners = new Set(hints.flatMap((hint) => this.#ownerOf(hint) ?? []))
      this.#database.run(
        `INSERT INTO identity (id, name, created_at) VALUES (?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET name = excluded.name`,
        id,
        name,
        this.#now(),
      )
      for (const { kind, value, confidence } of hints)
        this.#database.run(
          `INSERT INTO identity_hint (identity_id, kind, value, confidence) VALUES (?, ?, ?, ?)
             ON CONFLICT (kind, value)
             DO UPDATE SET identity_id = excluded.identity_id, confidence = excluded.confidence`,
          id,
          kind,
          value,
          confidence,
        )
      this.#note('bind', 'identity', id, { name, hints })
      return {
        identity: this.identity(id),
        losers: [...owners].filter((owner) => owner !== id),
      }
    })
  }

  /** Adds a tag and gives all that the device has. */
  tag(identityId: string, namespace: string, value: string): readonly string[] {
    return this.#database.transaction(() => {
      this.identity(identityId)
      this.#database.run(
        'INSERT OR IGNORE INTO identity_tag (identity_id, namespace, value) VALUES (?, ?, ?)',
        identityId,
        namespace,
        value,
      )
      this.#note('tag', 'identity', identityId, { namespace, value })
      return this.identity(identityId).tags
    })
  }

  /** Notes a cable between two devices. */
  connect(ends: NewConnection): Connection {
    return this.#database.transaction(() => {
      const { fromIdentity, fromPort, toIdentity, toPort, transport = null } = ends
      this.identity(fromIdentity)
      this.identity(toIdentity)
      const id = randomUUID()
      const isNew = this.#database.run(
        `INSERT OR IGNORE INTO connection
           (id, from_identity, from_port, to_identity, to_port, transport, created_at)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
        id,
        fromIdentity,
        fromPort,
        toIdentity,
        toPort,
        transport,
        this.#now(),
      )
      const from = `${fromIdentity}:${fromPort}`
      const to = `${toIdentity}:${toPort}`
      if (isNew === 0) throw new StudioError(`${from} is connected to ${to} already`)
      this.#note('connect', 'connection', id, { from, to, transport })
      return { id, from, to, transport }
    })
  }

  /** Devices whose name contains a text, ignoring case, and which have a tag; sorted by name. */
  find({
    name = '',
    tag,
  }: { readonly name?: string | undefined; readonly tag?: string | undefined } = {}): Identity[] {
    const wanted = name.toLowerCase()
    return this.#database
      .all<IdentityRow>(`SELECT id, name, ${TAGS} FROM identity ORDER BY name, id`)
      .map(toIdentity)
      .filter(
        (identity) =>
          identity.name.toLowerCase().includes(wanted) &&
          (tag === undefined || identity.tags.includes(tag)),
      )
  }

  /** One device; there must be one. */
  identity(id: string): DetailedIdentity {
    const row = this.#database.get<IdentityRow & { created_at: number }>(
      `SELECT id, name, created_at, ${TAGS} FROM identity WHERE id = ?`,
      id,
    )
    if (row === undefined)
      throw new StudioError(`there is no identity ${id}; graph_find lists those that there are`)
    const hints = this.#database.all<Hint & object>(
      'SELECT kind, value, confidence FROM identity_hint WHERE identity_id = ? ORDER BY kind, value',
      id,
    )
    return { ...toIdentity(row), created_at: row.created_at, hints }
  }

  /** Every cable, in the order in which they were plugged in. */
  connections(): Connection[] {
    return this.#database.all<Connection>(
      `SELECT ${CABLE} FROM connection ORDER BY created_at, rowid`,
    )
  }

  /** Cables between two devices, in either direction. */
  connectionsBetween(one: string, other: string): Connection[] {
    return this.#database.all<Connection>(
      `SELECT ${CABLE} FROM connection
         WHERE (from_identity = ?1 AND to_identity = ?2) OR (from_identity = ?2 AND to_identity = ?1)
         ORDER BY created_at, rowid`,
      one,
      other,
    )
  }

  /** What was changed last. */
  changes(): GraphChange[] {
    return this.#database
      .all<GraphChange & { readonly details: string }>(
        `SELECT timestamp, operation, target_kind, target_id, details
           FROM changelog ORDER BY id DESC LIMIT ?`,
        CHANGES_SHOWN,
      )
      .map((row) => ({ ...row, details: JSON.parse(row.details) as unknown }))
  }

  #ownerOf({ kind, value }: Hint): string | undefined {
    return this.#database.get<{ identity_id: string }>(
      'SELECT identity_id FROM identity_hint WHERE kind = ? AND value = ?',
      kind,
      value,
    )?.identity_id
  }

  #note(operation: string, targetKind: string, targetId: string, details: object): void {
    this.#database.run(
      `INSERT INTO changelog (timestamp, operation, target_kind, target_id, details)
         VALUES (?, ?, ?, ?, ?)`,
      this.#now(),
      operation,
      targetKind,
      targetId,
      JSON.stringify(details),
    )
  }
}

interface IdentityRow {
  readonly id: string
  readonly name: string
  readonly tags: string
}

function toIdentity({ id, name, tags }: IdentityRow): Identity {
  return { id, name, tags: JSON.parse(tags) as string[] }
}
