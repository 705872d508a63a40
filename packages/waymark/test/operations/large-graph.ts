import { randomUUID } from 'node:crypto'
import { Connection } from '@waymark/sqlite'
import { databasePath } from '../../src/core/store/state-folder.ts'
import { type Setup, setup } from '../setup.ts'

export interface LargeGraph extends Setup {
  /** By number, from 1 on; the first one has none. */
  readonly ids: readonly string[]
}

/** A project with so many notes and with edges between them by number, written past everything that would take long. */
export async function setupGraph(
  count: number,
  edges: Iterable<readonly [source: number, target: number, type?: string]>,
): Promise<LargeGraph> {
  const project = await setup()
  const connection = new Connection(databasePath(project.context.project?.state ?? ''), 'write')
  const ids = ['', ...Array.from({ length: count }, () => randomUUID())]
  try {
    connection.exec('BEGIN')
    for (let number = 1; number <= count; number += 1) {
      connection.run(
        `INSERT INTO entity (id, number, type, title, tags, properties, created_at, updated_at, revision)
          VALUES (?, ?, 'note', ?, '[]', '{}', 1, 1, 1)`,
        ids[number] ?? '',
        number,
        `N${number}`,
      )
    }
    for (const [source, target, type = 'references'] of edges) {
      connection.run(
        `INSERT INTO relation (source_id, type, target_id, properties, created_at)
          VALUES (?, ?, ?, '{}', 1)`,
        ids[source] ?? '',
        type,
        ids[target] ?? '',
      )
    }
    connection.exec('COMMIT')
  } finally {
    connection.close()
  }
  await project.context.store.write(({ consistency }) => consistency.recountKinds())
  return { ...project, ids }
}

/** One in the middle, from which an edge leads to each of the others. */
export function* starOf(edges: number): Generator<readonly [number, number]> {
  for (let at = 1; at <= edges; at += 1) yield [1, at + 1]
}

/** Everybody with everybody, in both directions. */
export function* cliqueOf(count: number): Generator<readonly [number, number]> {
  for (let source = 1; source <= count; source += 1) {
    for (let target = 1; target <= count; target += 1) if (source !== target) yield [source, target]
  }
}

/** From each to the next one, and from the last to the first. */
export function* ringOf(count: number, type: string): Generator<readonly [number, number, string]> {
  for (let at = 1; at <= count; at += 1) yield [at, (at % count) + 1, type]
}
