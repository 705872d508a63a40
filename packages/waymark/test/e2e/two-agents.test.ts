import { expect, it } from 'vitest'
import { createRepository } from '../setup.ts'
import { DEADLY, HANDED_OVER, PLAN } from './two-agents/plan.ts'
import { play } from './two-agents/play.ts'

it('two agents finish a plan through a handover and a kill, in order and nothing twice', async () => {
  await using repository = createRepository()
  const { told, work, late, statuses, completed } = await play(repository.directory)
  const keys = PLAN.map(({ key }) => key)
  expect(statuses).toEqual(PLAN.map(() => 'done'))
  expect(work.toSorted()).toEqual(keys.toSorted())
  expect(completed.toSorted((a, b) => a - b)).toEqual(PLAN.map((_, at) => at + 1))
  for (const { key, depends_on } of PLAN) {
    for (const before of depends_on) {
      expect(work.indexOf(before), `${before} before ${key}`).toBeLessThan(work.indexOf(key))
    }
  }
  const about = (wanted: string, what: string) =>
    told.filter((each) => each.what === what && each.key === wanted)
  expect(about(HANDED_OVER, 'handed_over')).toMatchObject([{ name: 'builder' }])
  expect(about(HANDED_OVER, 'took_over')).toMatchObject([
    { name: 'writer', note: expect.stringContaining('describe them') },
  ])
  const claims = about(DEADLY, 'claimed').map(({ fence }) => fence)
  expect(claims).toEqual([1, 2])
  expect(about(DEADLY, 'done')).toMatchObject([{ fence: 2 }])
  expect(late).toBe('refused')
})
