import type { Repository } from '../../git/repository.ts'
import type { ReplicaReader, StoredDocument } from '../merge/store.ts'
import type { LogLine } from './log-line.ts'
import { type LogTree, readSegment } from './log-tree.ts'
import type { LoroModule } from '../document/loro.ts'
import type { EntityId } from '../../entity/entity-id.ts'

const BATCH_SIZE = 500

/** The contents of a log version by entity: versions per author, or a purge. */
export class LogCoverage {
  readonly #authorsById = new Map<EntityId, Set<string>>()
  readonly #purged = new Set<EntityId>()

  add(line: LogLine): void {
    if ('isPurged' in line) {
      this.#purged.add(line.entityId)
      return
    }
    const authors = this.#authorsById.get(line.entityId) ?? new Set()
    this.#authorsById.set(line.entityId, authors)
    const { peers, changes } = line.update
    for (const { id } of changes) authors.add(peers?.[Number(id.split('@')[1])] ?? '')
  }

  /** Whether the log has a purge of this entity. */
  purges(entityId: EntityId): boolean {
    return this.#purged.has(entityId)
  }

  /** Whether the log covers the recorded version of this document. */
  covers(loro: LoroModule, { entityId, document, logged, isDirty }: StoredDocument): boolean {
    if (document === null) return isDirty || this.#purged.has(entityId)
    if (logged === null) return true
    // Every change has an author of its own and is one line's or another's, never half of it.
    const authors = this.#authorsById.get(entityId)
    return authorsOf(loro, logged).every((author) => authors?.has(author) === true)
  }
}

export async function readCoverage(
  git: Pick<Repository, 'ask' | 'run' | 'objects'>,
  tree: LogTree,
): Promise<LogCoverage> {
  const coverage = new LogCoverage()
  for (const [name, blob] of tree) {
    for (const line of (await readSegment(git, name, blob)).lines) coverage.add(line)
  }
  return coverage
}

/** Entities with changes that disappeared from the log. */
export async function findLost(
  replica: ReplicaReader,
  loro: LoroModule,
  coverage: LogCoverage,
): Promise<EntityId[]> {
  const lost: EntityId[] = []
  for (let last = ''; ;) {
    const page = await replica.documents(last, BATCH_SIZE)
    if (page.length === 0) return lost
    for (const stored of page) if (!coverage.covers(loro, stored)) lost.push(stored.entityId)
    last = page.at(-1)?.entityId ?? last
  }
}

function authorsOf(loro: LoroModule, version: Uint8Array): string[] {
  const decoded = loro.VersionVector.decode(version)
  try {
    return [...decoded.toJSON().keys()]
  } finally {
    decoded.free()
  }
}
