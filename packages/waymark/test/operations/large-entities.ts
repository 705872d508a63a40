import { execute } from '../../src/core/execute.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { Connection } from '@waymark/sqlite'
import { databasePath } from '../../src/core/store/state-folder.ts'
import { type Setup, setup } from '../setup.ts'

const KIB = 1024

/** Eighty of these are more than a page has room for. */
const LARGE_DECISION = {
  type: 'decision',
  title: 'Large',
  content: 'x '.repeat(50 * KIB),
  properties: {
    context: 'y '.repeat(25 * KIB),
    consequences: Array.from({ length: 100 }, () => 'z '.repeat(KIB / 2)),
  },
}

/** A project with so many of one entity, all but the first written past everything that would take long. */
export async function setupLarge(count: number, entity: object = LARGE_DECISION): Promise<Setup> {
  const project = await setup()
  const { context } = project
  await execute(context, createEntity, entity)
  const connection = new Connection(databasePath(context.project?.state ?? ''), 'write')
  try {
    for (let number = 2; number <= count; number += 1) {
      connection.run(
        `INSERT INTO entity (id, number, type, title, content, tags, status, properties,
            created_at, updated_at, revision)
          SELECT ?, ?, type, title, content, tags, status, properties, created_at, updated_at, 1
            FROM entity WHERE number = 1`,
        crypto.randomUUID(),
        number,
      )
    }
  } finally {
    connection.close()
  }
  await context.store.write(({ consistency }) => consistency.recountKinds())
  return project
}
