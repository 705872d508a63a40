import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importBackup } from '../../src/backup/operations.ts'
import { promoteStore } from '../../src/integrity/promote.ts'
import { print } from '../../src/surfaces/terminal/print.ts'
import { undoChanges } from '../../src/sync/history/undo.ts'
import { shell } from './shell.ts'

const style = { interactive: false, colors: false, columns: 80, now: Date.now }

const FIELDS = [
  'title',
  'properties.due_date',
  'relation blocks 45169a82-2e82-4c09-84c6-986d9e8ff6d4',
]

test('what was taken back is told entity by entity', async () => {
  const none = { author: 'robot', dry_run: false, entities: [] }
  expect(await print(undoChanges.show(none), style)).toBe('nothing by robot to take back\n')
  expect(await print(undoChanges.show({ ...none, authors: ['ada', 'bo'] }), style)).toBe(
    'nothing by robot to take back; changes since then are by ada, bo\n',
  )
  const entity = { id: 'x', number: 3, title: 'a note', outcome: 'reverted' as const }
  const some = {
    author: 'robot',
    dry_run: true,
    entities: [{ ...entity, fields: FIELDS, kept: ['properties.status'] }],
  }
  expect(await print(undoChanges.show(some), style)).toBe(
    [
      'would be reverted: #3 a note',
      '  back: title, due_date, relation blocks 45169a8',
      '  changed or held by others since, so kept: status',
      '',
    ].join('\n'),
  )
})

test.each([importBackup, promoteStore])(
  'what $name took in and what not is told',
  async (operation) => {
    const counts = { created: 1, updated: 2, deleted: 0, purged: 1, relations: 3 }
    const claim = { id: '0', number: 2, title: 'Lay', here: ['ann'], elsewhere: ['bob (Kim)'] }
    const twice = { id: '0', number: 3, title: 'Oil', field: 'content', contradiction: true }
    const fine = {
      renumbered: [],
      changed_twice: [],
      cycles: [],
      equal_keys: [],
      double_claims: [],
      waiting: 0,
      damaged: 0,
      not_understood: [],
      left_alone: [],
    }
    const line = '1 created, 2 updated, 0 deleted, 1 purged, 3 relations'
    expect(await print(operation.show({ ...counts, ...fine }), style)).toBe(`${line}\n`)
    const renumbered = [{ id: '0123456789', title: 'a note', from: 1, to: 4 }]
    const not_understood = ['x', 'y', 'z']
    const cycles = [
      [
        { number: 6, title: 'a' },
        { number: 7, title: 'b' },
      ],
    ]
    const equal_keys = [{ key: 'T1', numbers: [6, 8] }]
    const changed_twice = [twice, { ...twice, number: 5, contradiction: false }]
    const remarks = {
      renumbered,
      cycles,
      equal_keys,
      changed_twice,
      double_claims: [claim],
      waiting: 2,
      damaged: 1,
      not_understood,
      left_alone: ['x'],
    }
    expect(await print(operation.show({ ...counts, ...remarks }), style)).toBe(
      [
        line,
        'renumbered: #1 is now #4 a note',
        'changed on both sides: content of #3 Oil; the later one stands; see waymark log 3, choose with waymark resolve 3 keep|other|both',
        'changed on both sides: content of #5 Oil; merged by lines; see waymark log 5',
        'claimed twice: #2 Lay is held by ann here and by bob (Kim) in another clone; agree on one, the other runs waymark task release 2',
        'warning: these wait for each other now: #6 a, #7 b; waymark relation delete takes one of the relations away, waymark graph cycles shows them',
        'warning: #6 and #8 have the same key T1; give one another: waymark task update 8 --key <key>',
        'warning: 2 changes wait for others that have not arrived',
        'warning: 1 line cannot be read',
        'warning: 3 entities need a newer waymark',
        'warning: 1 entity was left as it is, because another agent holds a task: import it again later',
        '',
      ].join('\n'),
    )
  },
)

test('a backup that was cut off is told of at the command line', async () => {
  await using sh = await shell()
  await sh.run('add note One')
  await sh.run('export a.jsonl')
  const file = join(sh.directory, 'a.jsonl')
  writeFileSync(file, `${readFileSync(file, 'utf8')}{"cut":`)
  expect(await sh.run('import a.jsonl')).toEqual({
    exit: 0,
    out: '0 created, 0 updated, 0 deleted, 0 purged, 0 relations\nwarning: 1 line cannot be read\n',
    err: '',
  })
})
