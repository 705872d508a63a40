import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Check } from '../../src/health/check.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { findDamage } from '../../src/core/sqlite/inspect.ts'
import { doctorCommand } from '../../src/surfaces/install/doctor-command.ts'
import { applyEdit, edit, expectNothing } from '../replica/edits.ts'
import { createReplica } from '../replica/replicas.ts'
import { isSample } from '../level.ts'
import { SEED } from '../seed.ts'
import { createTestTerminal } from '../surface/test-terminal.ts'
import {
  alter,
  createUsedProject,
  databaseOf,
  eachContent,
  knowledgeOf,
  overwrite,
  stateOf,
  type UsedProject,
} from './damaged-store.ts'

const ROW = 'SELECT id FROM entity WHERE number = 1'
const FORGED = `INSERT INTO relation SELECT a.id, 'references', b.id, '{}', 1, NULL, NULL, NULL
  FROM entity AS a, entity AS b WHERE a.number = 1 AND b.number = 2`
const emptyIndex = (name: string): string[] => [
  `UPDATE sqlite_schema SET sql = replace(sql, 'WHERE deleted_at IS NULL', 'WHERE deleted_at IS NOT NULL') WHERE name = '${name}'`,
  `REINDEX ${name}`,
  `UPDATE sqlite_schema SET sql = replace(sql, 'WHERE deleted_at IS NOT NULL', 'WHERE deleted_at IS NULL') WHERE name = '${name}'`,
]

/** What is kept twice, or follows from something else. */
const REPAIRED: Readonly<Record<string, (directory: string) => void>> = {
  'a forged title': alter(`UPDATE entity SET title = 'forged' WHERE number = 1`),
  'a forged number': alter('UPDATE entity SET number = 900 WHERE number = 1'),
  'a forged tombstone': alter('UPDATE entity SET deleted_at = 5 WHERE number = 1'),
  'a row that is gone': alter('DELETE FROM entity WHERE number = 1'),
  'a row that is gone with all that follows from it': alter(
    `DELETE FROM tag WHERE entity_id IN (${ROW})`,
    `DELETE FROM document WHERE ref IN (${ROW})`,
    'DELETE FROM entity WHERE number = 1',
  ),
  'properties that are no JSON': alter(`UPDATE entity SET properties = '{' WHERE number = 1`),
  'tags that are no JSON': alter(`UPDATE entity SET tags = '[' WHERE number = 1`),
  'documents that cannot be read': alter(`UPDATE replica SET document = x'00ff'`),
  'documents that are gone': alter('DELETE FROM replica'),
  'changes that are gone': alter('DELETE FROM op'),
  'changes that are no JSON': alter(`UPDATE op SET change = '{'`),
  'a relation that is gone': alter('DELETE FROM relation'),
  'a forged relation': alter(FORGED),
  'relations that are no JSON': alter(`UPDATE relation SET properties = '{'`),
  'relations that say something else': alter(`UPDATE relation SET properties = '{"x":1}'`),
  'relations that are no JSON, of entities without documents': alter(
    `UPDATE relation SET properties = '{'`,
    `UPDATE replica SET document = x'00ff'`,
  ),
  'entities of which neither row nor document can be read': alter(
    `UPDATE entity SET properties = '{' WHERE number > 1`,
    `UPDATE replica SET document = x'00ff'`,
  ),
  'a queue without tasks': alter('DELETE FROM task'),
  'a queue with other priorities': alter('UPDATE task SET priority = priority + 1'),
  'a queue where the wrong task waits': alter(
    'UPDATE task SET blocked = 1 - blocked',
    'UPDATE task_facet SET blocked = 1 - blocked',
  ),
  'a queue without labels': alter('DELETE FROM task_facet'),
  'tags that nothing is found by': alter('DELETE FROM tag'),
  'tags that nobody gave': alter(`INSERT INTO tag SELECT 'zzz', id FROM entity`),
  'a search index without texts': alter('DELETE FROM document'),
  'a search index with other texts': alter(`UPDATE document SET body = 'x' WHERE kind = 'entity'`),
  'a search index with hashes of other texts': alter(`UPDATE document SET text_hash = 'x'`),
  'a search index with tags that are no JSON': alter(`UPDATE document SET tags = '['`),
  'a search index with tags of messages and artifacts that are no JSON': alter(
    `UPDATE document SET tags = '[' WHERE kind <> 'entity'`,
  ),
  'a search index that has dead entities, with tags that are no JSON': alter(
    `INSERT INTO document SELECT 1000, 'entity', 'gone', type, status, title, body, '[', author,
      created_at, updated_at, text_hash, position FROM document LIMIT 1`,
  ),
  'a search index without words': alter('DELETE FROM document_term'),
  'a full-text index of nonsense': alter(
    `UPDATE document_term_data SET block = x'00' WHERE id > 10`,
  ),
  'an index that is gone': alter('DROP INDEX entity_by_type'),
  'an index without entries': alter(...emptyIndex('entity_by_type')),
  'an entity counter that stands too low': alter(
    `UPDATE counter SET value = 2 WHERE name = 'entity'`,
  ),
  'an event counter that stands too low': alter(
    `UPDATE counter SET value = 2 WHERE name = 'event'`,
  ),
  'a list that says it is longer than it is': alter(
    `UPDATE counter SET value = value + 7 WHERE name LIKE 'entities %'`,
  ),
  'a counter that is gone': alter(`DELETE FROM counter WHERE name = 'message'`),
}

/** What is kept once: it is said what is wrong and what to do, and nothing is changed. */
const TOLD: Readonly<Record<string, [(directory: string) => void, RegExp]>> = {
  'no database': [(directory) => rmSync(databaseOf(directory)), /missing.*restore/],
  'an empty database': [(directory) => truncateSync(databaseOf(directory)), /empty.*restore/],
  'a database that was cut': [
    (directory) => truncateSync(databaseOf(directory), 4096 * 8),
    /damaged.*restore/,
  ],
  'another header': [overwrite(0, Buffer.from('not a database at all')), /damaged.*restore/],
  'pages of nonsense': [overwrite(4096 * 3, Buffer.alloc(4096 * 2, 0xab)), /damaged.*restore/],
  'the database of another program': [alter('PRAGMA application_id = 1'), /not one of waymark/],
  'the database of another project': [alter(`UPDATE project SET id = 'x'`), /another project/],
  'a schema from the future': [alter('PRAGMA user_version = 1000'), /update waymark/],
  'a trigger': [
    alter('CREATE TRIGGER t AFTER INSERT ON entity BEGIN DELETE FROM event; END'),
    /triggers or views.*restore/,
  ],
  'a view': [alter('CREATE VIEW v AS SELECT 1'), /triggers or views.*restore/],
  'a table that is gone': [alter('DROP TABLE message'), /table message.*restore/],
  'a table that is listed as something else': [
    alter(`UPDATE sqlite_schema SET type = 'taBle' WHERE name = 'message'`),
    /message is listed.*restore/,
  ],
  'a column that is gone': [alter('ALTER TABLE message DROP COLUMN subject'), /message.*restore/],
  'a marker that cannot be read': [
    (directory) => writeFileSync(join(stateOf(directory), 'project.json'), '{'),
    /project\.json.*damaged.*waymark init/,
  ],
  'an event that is gone': [alter('DELETE FROM event WHERE id = 3'), /1 events.*restore/],
  'an event that cannot be read': [
    alter(`UPDATE event SET data = '{' WHERE id = 3`),
    /event 3 .*restore.*behind it/,
  ],
  'an agent that cannot be read': [
    alter(`UPDATE agent SET capabilities = '{' WHERE id <> 'owner'`),
    /1 rows.*agent .*restore/,
  ],
  'what was said for a commit and cannot be read': [
    alter(`INSERT INTO pending_note (worktree, kind, content, at) VALUES ('w', 'note', '{', 1)`),
    /pending note 1 .*restore.*context-clear/,
  ],
  'an answer that cannot be read': [
    alter(
      `INSERT INTO answer (operation, key, request_hash, output, at) VALUES ('task.create', 'k', 'h', '{', 1), ('x', 'k', '', '', 1)`,
    ),
    /1 rows.*answer task\.create .*restore/,
  ],
  'a message that is gone': [alter('DELETE FROM message WHERE id = 1'), /1 messages.*restore/],
  'a message that was altered': [
    alter(`UPDATE message SET body = 'to nobody' WHERE id = 1`),
    /1 messages.*restore/,
  ],
  'a message about nothing': [
    alter(`UPDATE message SET task_id = 'none' WHERE id = 2`),
    /message 1.*restore/,
  ],
  'a lease of nothing': [alter(`UPDATE lease SET task_id = 'none'`), /lease 1.*restore/],
  'contents that are gone': [eachContent((path) => rmSync(path)), /1 are missing.*artifact add/],
  'contents that were altered': [
    eachContent((path) => {
      rmSync(path)
      writeFileSync(path, 'the bytez')
    }),
    /1 are damaged.*artifact add/,
  ],
}

let used: UsedProject
let healthy = ''
beforeAll(async () => {
  used = await createUsedProject()
  healthy = await knowledgeOf(used.copy())
})
afterAll(() => used[Symbol.dispose]())

/** What doctor has to say, except of hosts: there are none. */
async function examine(directory: string, repair = false): Promise<readonly Check[]> {
  const env = { HOME: directory, PATH: process.env['PATH'] ?? '' }
  const terminal = createTestTerminal(directory, { env })
  const running = { node: process.execPath, script: process.execPath }
  await doctorCommand({ json: true, repair }, terminal, running)
  const { checks } = JSON.parse(terminal.output.out) as { checks: Check[] }
  return checks.filter(({ name, status }) => status !== 'ok' && name !== 'hosts')
}

describe('doctor', () => {
  it('knows more than thirty kinds of damage, and finds none in the store that they are tried on [doctor-damage-knows-more]', async () => {
    expect(Object.keys({ ...REPAIRED, ...TOLD }).length).toBeGreaterThan(30)
    expect(await examine(used.copy())).toEqual([])
  })

  it.each(Object.entries(REPAIRED))(
    'finds and repairs %s [doctor-damage-finds-repairs]',
    async (_, damage) => {
      const directory = used.copy()
      damage(directory)
      const found = await examine(directory)
      expect(found).not.toEqual([])
      for (const { status, fix } of found)
        expect([status, fix]).toEqual(['failed', expect.stringContaining('repair')])
      expect((await examine(directory, true)).filter(({ status }) => status === 'failed')).toEqual(
        [],
      )
      expect(await examine(directory)).toEqual([])
      expect(await knowledgeOf(directory)).toBe(healthy)
    },
  )

  it.each(Object.entries(TOLD))(
    'finds %s and says what to do [doctor-damage-finds-says]',
    async (_, [damage, words]) => {
      const directory = used.copy()
      damage(directory)
      for (const repair of [true, false]) {
        const found = (await examine(directory, repair)).filter(({ status }) => status === 'failed')
        expect(found.map(({ message, fix = '' }) => `${message} ${fix}`).join('\n')).toMatch(words)
      }
    },
  )
})

const HEALTHY = Number(process.env['WAYMARK_HEALTHY_STORES'] ?? (isSample ? 2 : 6))

const LIMIT = { timeout: 60_000 + HEALTHY * 5_000 }

it(
  'the checks find nothing in stores that were used in whatever way [doctor-damage-checks-find]',
  LIMIT,
  async () => {
    const edits = fc.sample(fc.array(edit, { minLength: 10, maxLength: 40 }), {
      seed: SEED,
      numRuns: HEALTHY,
    })
    for (const made of edits) {
      await using ada = await createReplica('ada')
      await using bob = await createReplica('bob')
      const expected = expectNothing()
      for (const [at, each] of made.entries()) {
        await applyEdit(at % 3 === 0 ? bob : ada, each, expected)
        // Now and then one hears the other, so that there are merged edges, loose ends and numbers that were given twice.
        if (at % 7 === 6) await ada.takeIn(await bob.lines())
        if (at % 11 === 10) await bob.takeIn(await ada.lines())
      }
      for (const replica of [ada, bob]) {
        expect(await findDamage(replica.stateDir)).toEqual([])
        const { checks } = await replica.run(checkStore, {})
        expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
      }
    }
  },
)
