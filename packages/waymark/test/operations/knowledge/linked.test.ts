import { expect, it } from 'vitest'
import { addArtifact } from '../../../src/artifact/operations.ts'
import { execute } from '../../../src/core/execute.ts'
import type { Context } from '../../../src/core/context.ts'
import { supersedeDecision } from '../../../src/decision/operations.ts'
import { createEntity, getEntity } from '../../../src/entity/operations.ts'
import { showNeighbours } from '../../../src/graph/operations.ts'
import { createTask, getTask, getTasks } from '../../../src/task/operations.ts'
import { printForAgent } from '../../../src/core/show.ts'
import { connect } from '../../dialects/client.ts'
import { CLIENT, setupCode } from '../code/code-setup.ts'
import { setup } from '../../setup.ts'

async function decide(context: Context, title: string, relations: readonly string[] = []) {
  return await execute(context, createEntity, { type: 'decision', title, relations })
}

it('entity.get and task.get list relations in both directions, with number and title', async () => {
  await using test = await setup()
  await decide(test.context, 'Use SQLite')
  const related = { type: 'task', title: 'Write the store', relations: ['implements:1'] }
  await execute(test.context, createEntity, related)
  const decision = await execute(test.context, getEntity, { id: '1' })
  expect(decision.linked.relations).toMatchObject([
    { type: 'implements', direction: 'to', entity: { number: 2, title: 'Write the store' } },
  ])
  expect(printForAgent(getEntity.show(decision))).toMatch(/#2 Write the store .*implements this/)
  const task = await execute(test.context, getTask, { id: '2' })
  expect(task.linked.relations).toMatchObject([
    { type: 'implements', direction: 'from', entity: { number: 1, title: 'Use SQLite' } },
  ])
  expect(printForAgent(getTask.show(task))).toMatch(/relation: implements #1 Use SQLite/)
})

it('task.get does not repeat the relations that it shows as blockers and parts', async () => {
  await using test = await setup()
  await execute(test.context, createTask, { title: 'First' })
  await execute(test.context, createTask, { title: 'Second', depends_on: ['1'] })
  expect((await execute(test.context, getTask, { id: '2' })).linked.relations).toBeUndefined()
  expect((await execute(test.context, getEntity, { id: '2' })).linked.relations).toHaveLength(1)
})

it('entity.get shows the successor of a decision as number and title', async () => {
  await using test = await setup()
  await decide(test.context, 'Use files')
  const next = await decide(test.context, 'Use SQLite')
  await execute(test.context, supersedeDecision, { old: '1', new: '2' })
  const old = await execute(test.context, getEntity, { id: '1' })
  expect(old.properties['superseded_by']).toBe(next.id)
  expect(old.linked.superseded_by).toMatchObject({ number: 2, title: 'Use SQLite' })
  for (const blocks of [getEntity.show(old), getEntity.showToAgent?.(old) ?? []]) {
    const text = printForAgent(blocks)
    expect(text).toMatch(/superseded_by: #2 Use SQLite/)
    expect(text).not.toContain(next.id)
  }
})

it('entity.get lists linked artifacts and annotated code, also of a summary without regions', async () => {
  await using test = await setupCode()
  await decide(test.context, 'One connection')
  const artifact = { text: 'a log', name: 'trace.log', links: ['1'] }
  await execute(test.context, addArtifact, artifact)
  const commit = test.commit('Add a client', { 'src/a.ts': CLIENT, 'src/b.ts': 'let b = 1\n' })
  await test.annotate({ summary: 'One connection, since the server closes others', links: ['1'] })
  test.tick(1000)
  const region = { file: 'src/a.ts', anchor: 'parse', intent: 'Numbers only, on purpose' }
  await test.annotate({ summary: 'Only numbers are sent', regions: [region], links: ['1'] })
  const decision = await execute(test.context, getEntity, { id: '1' })
  expect(decision.linked).toMatchObject({
    artifacts: [{ name: 'trace.log', type: 'references' }],
    code: [
      { summary: 'Only numbers are sent', commit, places: ['src/a.ts:parse'] },
      { summary: /server closes others/, commit, places: ['src/a.ts', 'src/b.ts'] },
    ].map((one) => ({ ...one, summary: expect.stringMatching(one.summary) })),
  })
  const text = printForAgent(getEntity.show(decision))
  expect(text).toMatch(/artifact: trace\.log/)
  expect(text).toMatch(/annotated code: src\/a\.ts:parse: Only numbers are sent/)
  expect(text).toMatch(/annotated code: src\/a\.ts, src\/b\.ts: One connection/)
  const around = await execute(test.context, showNeighbours, { id: '1' })
  expect(printForAgent(showNeighbours.show(around))).toMatch(/trace\.log[^]*src\/b\.ts/)
})

it('a long list of relations is cut, with a count', async () => {
  await using test = await setup()
  await decide(test.context, 'Use SQLite')
  for (let at = 0; at < 30; at++) await decide(test.context, `Part ${at}`, ['references:1'])
  const decision = await execute(test.context, getEntity, { id: '1' })
  const shown = decision.linked.relations?.length ?? 0
  expect(shown).toBeLessThan(20)
  expect(decision.linked.more).toEqual({ relations: 30 - shown })
  expect(printForAgent(getEntity.show(decision))).toContain(
    `${30 - shown} more relations: waymark relation list 1`,
  )
})

it('graph.around of an entity without neighbours says that it has no relations', async () => {
  await using test = await setup()
  await decide(test.context, 'Use SQLite')
  const around = await execute(test.context, showNeighbours, { id: '1' })
  expect(printForAgent(showNeighbours.show(around))).toMatch(/^#1 Use SQLite: no relations$/)
})

it('recall and task_get show linked things within the budget of the answer', async () => {
  await using project = await setup()
  const { context } = project
  await decide(context, 'Use SQLite')
  const related = { type: 'task', title: 'Write the store', relations: ['implements:1'] }
  await execute(context, createEntity, related)
  for (let at = 0; at < 40; at++)
    await decide(context, `${'Long '.repeat(40)}${at}`, ['references:1'])
  await using client = await connect('waymark', { project })
  const textOf = async (tool: string, args: Record<string, unknown>) => {
    const { content } = await client.result(tool, args)
    return content.map(({ text }) => text).join('\n')
  }
  expect(await textOf('recall', { id: '1' })).toMatch(
    /^relation: #2 Write the store .*implements this$/m,
  )
  expect(await textOf('task_get', { ids: ['2'] })).toMatch(/^relation: implements #1 Use SQLite/m)
  expect(await client.call('task_get', { ids: ['2'] })).toMatchObject({
    tasks: [{ linked: ['relation: implements #1 Use SQLite (decision, proposed)'] }],
  })
  const whole = JSON.stringify(await client.result('recall', { id: '1' }))
  expect(Buffer.byteLength(whole)).toBeLessThan(10_000)
  expect(
    (await execute(context, getTasks, { ids: ['2'] })).tasks[0]?.linked.relations,
  ).toHaveLength(1)
})
