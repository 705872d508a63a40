import type { Migration } from '../store/migrations.ts'

const KINDS = [
  'component active',
  'component deprecated',
  'component planned',
  'decision proposed',
  'decision accepted',
  'decision deprecated',
  'decision superseded',
  'task todo',
  'task in_progress',
  'task blocked',
  'task done',
  'task cancelled',
]

/** Counters of the live entities of each kind, and an index less. */
export const entityCounts: Migration = {
  version: 31,
  sqlite: [
    `INSERT INTO counter (name, value) SELECT name, count(*) FROM (
      SELECT CASE
          WHEN type NOT IN ('component', 'decision', 'link', 'note', 'prompt', 'task') THEN 'entities *'
          WHEN status IS NULL THEN 'entities ' || type
          WHEN type || ' ' || status IN (${KINDS.map((kind) => `'${kind}'`).join(', ')})
            THEN 'entities ' || type || ' ' || status
          ELSE 'entities ' || type || ' *' END AS name
        FROM entity WHERE deleted_at IS NULL) AS kind GROUP BY name`,
    // Commits are looked for in the refs that are read, by the index of both.
    'DROP INDEX annotation_by_commit',
  ],
}
