import { describe, expect, test } from 'vitest'
import { showBrief } from '../../src/brief/operations.ts'
import { updateEntity } from '../../src/entity/operations.ts'
import { showStatus } from '../../src/project/status.ts'
import { claimTask, releaseTask, takeTask } from '../../src/task/lease/operations.ts'
import { createTask, getTasks } from '../../src/task/operations.ts'
import { explainTask } from '../../src/task/queue/explain.ts'
import { nextTask, readyTasks } from '../../src/task/queue/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { type Clone, createTeam, type Team } from './clones.ts'

const DAY = 24 * 60 * 60 * 1000

/** Two clones that know the same task. */
async function withTask(team: Team): Promise<{ ada: Clone; bob: Clone; id: string }> {
  const ada = await team.clone('ada')
  const bob = await team.clone('bob')
  ada.git('config', 'user.name', 'Kim Lee')
  bob.git('config', 'user.name', 'bob')
  const { task } = await ada.run(createTask, { title: 'Write the parser' })
  await ada.sync()
  await bob.sync()
  return { ada, bob, id: task.id }
}

async function exchange(from: Clone, to: Clone): Promise<void> {
  await from.sync()
  await to.sync()
}

async function isOffered(clone: Clone): Promise<boolean> {
  const { tasks } = await clone.run(readyTasks, {})
  const { task } = await clone.run(nextTask, {})
  expect(task === null).toBe(tasks.length === 0)
  return tasks.length > 0
}

describe('a task that an agent of another clone holds', () => {
  test('is not ready and not handed out, and its holder is named where people look [held-elsewhere]', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    await ada.run(claimTask, { id })
    await exchange(ada, bob)

    expect(await isOffered(bob)).toBe(false)
    expect(await bob.run(takeTask, {})).toEqual({ claimed: null })
    await expect(bob.run(claimTask, { id })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(
        'task 1 is held by ada (Kim Lee) in another clone',
      ) as string,
      details: { reason: 'held_elsewhere' },
    })
    expect(await bob.run(explainTask, { id })).toMatchObject({
      ready: false,
      obstacles: [{ reason: 'held_elsewhere' }],
    })
    const holder = 'ada (Kim Lee)'
    const { tasks } = await bob.run(getTasks, { ids: [id] })
    expect(tasks[0]?.held_elsewhere?.by).toEqual([holder])
    expect((await bob.run(showStatus, {})).held).toMatchObject([
      { number: 1, agent: holder, other_clones: [holder] },
    ])
    const { next, agents } = await bob.run(showBrief, {})
    expect(next).not.toContain('Claim')
    expect(agents).toEqual([
      { name: holder, other_clone: true, number: 1, title: 'Write the parser' },
    ])
    // In its own clone nothing changes.
    expect((await ada.run(getTasks, { ids: [id] })).tasks[0]?.held_elsewhere).toBeUndefined()
  })

  test('is offered again when it is given back, and leads to nothing when it is done', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    await ada.run(claimTask, { id })
    await exchange(ada, bob)
    await ada.run(releaseTask, { id })
    await exchange(ada, bob)
    expect(await isOffered(bob)).toBe(true)
    await bob.run(claimTask, { id })
    await bob.run(completeTask, { id })
    await exchange(bob, ada)
    for (const clone of [ada, bob]) {
      const [task] = (await clone.run(getTasks, { ids: [id] })).tasks
      expect([task?.status, task?.held_elsewhere]).toEqual(['done', undefined])
    }
  })

  test('can be taken over with force, and the answer says from whom [taken-over]', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    await ada.run(claimTask, { id })
    await exchange(ada, bob)
    const { warnings } = await bob.run(claimTask, { id, force: true })
    expect(warnings?.[0]?.message).toMatch(/^ada \(Kim Lee\) held it in another clone/)
    await bob.sync()
    // Also to the one who had it.
    expect((await ada.sync()).double_claims).toMatchObject([{ here: ['ada'], elsewhere: ['bob'] }])
    expect((await ada.sync()).double_claims).toEqual([])
  })

  test('is offered again after a day without a change, and at once if its clock is wrong by years', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    await ada.run(claimTask, { id })
    await exchange(ada, bob)
    bob.tick(DAY - 1)
    expect(await isOffered(bob)).toBe(false)
    bob.tick(1)
    expect(await isOffered(bob)).toBe(true)
    ada.tick(10 * 365 * DAY)
    await ada.run(updateEntity, { id, title: 'Write the tokenizer' })
    await exchange(ada, bob)
    const { claimed } = await bob.run(takeTask, {})
    expect(claimed?.warnings?.[0]?.message).toContain('without a change since 2036')
  })

  test('counts as held too if its status was set by hand', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    await ada.run(updateEntity, { id, properties: { status: 'in_progress' } })
    await exchange(ada, bob)
    expect(await isOffered(ada)).toBe(true)
    expect(await isOffered(bob)).toBe(false)
    await ada.run(updateEntity, { id, properties: { status: 'todo' } })
    await exchange(ada, bob)
    expect(await isOffered(bob)).toBe(true)
  })
})

test('a task that is assigned to a person is handed out in their clone only [assigned-elsewhere]', async () => {
  await using team = createTeam()
  const { ada, bob, id } = await withTask(team)
  await ada.run(updateEntity, { id, properties: { assignee: 'kim' } })
  await exchange(ada, bob)
  expect(await bob.run(takeTask, {})).toEqual({ claimed: null })
  expect(await bob.run(nextTask, {})).toEqual({ task: null })
  // Ada is an agent of Kim Lee.
  expect(await ada.run(takeTask, {})).toMatchObject({ claimed: { task: { number: 1 } } })
})

test('two clones that claimed a task before they synced are both told, and agree on who holds it [double-claim]', async () => {
  await using team = createTeam()
  const { ada, bob, id } = await withTask(team)
  await ada.run(claimTask, { id })
  await bob.run(claimTask, { id })
  expect((await ada.sync()).double_claims).toEqual([])
  const told = { number: 1, title: 'Write the parser' }
  expect((await bob.sync()).double_claims).toMatchObject([
    { ...told, here: ['bob'], elsewhere: ['ada (Kim Lee)'] },
  ])
  expect((await ada.sync()).double_claims).toMatchObject([
    { ...told, here: ['ada (Kim Lee)'], elsewhere: ['bob'] },
  ])
  expect((await bob.run(showStatus, {})).held).toMatchObject([
    { agent: 'bob', other_clones: ['ada (Kim Lee)'] },
  ])
  // One gives it back; the other still holds it, in both clones.
  await bob.run(releaseTask, { id })
  await exchange(bob, ada)
  expect(await bob.snapshot()).toEqual(await ada.snapshot())
  expect(await isOffered(bob)).toBe(false)
  const [task] = (await bob.run(getTasks, { ids: [id] })).tasks
  expect([task?.status, task?.held_elsewhere?.by]).toEqual(['in_progress', ['ada (Kim Lee)']])
})
