import { expect, it } from 'vitest'
import { allCallables } from './foreign/callables.ts'
import { evenly } from './foreign/inputs.ts'
import { attemptCall, reach, type Reached } from './foreign/trial.ts'
import { createWorld, foreignerFor } from './foreign/world.ts'

/** Of each operation and tool, so many inputs; the proof of the same name tries more. */
const MOST_INPUTS = 2

it('no operation and no tool of any dialect changes a task that another agent holds, nor its lease [foreign-leases-operation-tool]', async () => {
  const world = await createWorld({ isWhole: true })
  await using _ = world.project
  const calls: Reached[] = []
  const unreached: string[] = []
  for (const callable of await allCallables()) {
    const reached = await reach(world, callable, (inputs) => evenly(inputs, MOST_INPUTS))
    if (reached.length === 0) unreached.push(callable.name)
    calls.push(...reached)
  }
  // Each of these needs an input in samplesFor of foreign/trial.ts that it does something with.
  expect(unreached).toEqual([])
  const able = new Set(
    calls.filter(({ changesTask }) => changesTask).map(({ callable }) => callable.name),
  )
  expect(able.size).toBeGreaterThan(20)

  await world.hold()
  const violations: string[] = []
  for (const [at, { callable, input }] of calls.entries()) {
    const agent = foreignerFor(callable, input, at)
    const { isChanged } = await attemptCall(world, callable, { input, agent })
    if (isChanged) violations.push(`${callable.name} ${JSON.stringify(input)} by ${agent.surface}`)
  }
  expect(violations).toEqual([])
})
