import { expect, test } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { allOperations } from '../../src/registry.ts'
import { createTask } from '../../src/task/operations.ts'
import { createTeam } from './clones.ts'
import { forgedId, forgeLine, noteOps, pushLines, setValue } from './hostile-log.ts'
import { createVictims } from './victims.ts'

/** The first and the last time that a date can hold. */
const ENDS = [-8.64e15, 8.64e15]
const TIMES = ['', 'nonsense', '-271821-04-20T00:00:00.000Z', '+275760-09-13T00:00:00.000Z']

/** Values for the fields of all operations that read. */
const FIELDS: Readonly<Record<string, unknown>> = {
  id: '10',
  ids: ['10', '11', '12'],
  from: '10',
  to: '11',
  task: '10',
  topic: 'forged',
  query: 'forged',
  text: 'forged',
  path: '.',
  days: 365,
}

/** Those that read something else than entities. */
const OTHERS = /^(event\.wait|code\.|artifact\.|message\.get|job\.|prompt\.|task\.import)/

test('values at the ends of what is allowed break no answer [hostile-values]', async () => {
  await using team = createTeam()
  const [ada] = await createVictims(team)
  await ada.run(createTask, { title: 'own' })
  const now = new Date(ada.context.now()).toISOString()
  const records = TIMES.flatMap((time) => [
    { status: 'done', completed_at: time, verified_at: time, needs_verification: true },
    { status: 'done', completed_at: now, verified_at: time, needs_verification: true },
    { status: 'todo', due_date: time, defer_until: time },
  ])
  const lines = ENDS.flatMap((at) => records.map((record) => ({ at, record })))
  pushLines(
    team.remote,
    lines.map(({ at, record }, place) => {
      const set = Object.entries(record).map(([name, value]) => setValue('properties', name, value))
      const fields = { type: 'task', number: 10 + place, created_at: at, updated_at: 8.64e15 }
      const edge = `blocks ${forgedId(100 + ((place + 1) % lines.length))}`
      const relation = { created_at: at, created_by: 'bob', properties: {} }
      return forgeLine(forgedId(100 + place), [
        ...noteOps(fields),
        ...set,
        ...(place % 2 === 0 ? [setValue('relations', edge, relation)] : []),
      ])
    }),
  )
  expect((await ada.sync()).received.created).toBe(lines.length)
  const broken: string[] = []
  let answered = 0
  for (const operation of await allOperations()) {
    const { name, effect, input } = operation
    if (effect !== 'read' || OTHERS.test(name)) continue
    const given = Object.keys(input.shape).flatMap((field) =>
      field in FIELDS ? [[field, FIELDS[field]] as const] : [],
    )
    const outcome = await execute(ada.context, operation, Object.fromEntries(given)).then(
      () => 'answered',
      (error: unknown) => (error as { readonly code?: string }).code ?? 'thrown',
    )
    if (outcome === 'answered') answered += 1
    else if (outcome !== 'invalid_input' && outcome !== 'not_found')
      broken.push(`${name}: ${outcome}`)
  }
  expect(broken).toEqual([])
  expect(answered).toBeGreaterThan(35)
})
