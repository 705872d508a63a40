import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { toYaml } from '../../src/support/yaml/yaml-text.ts'
import type { SpecTask } from '../../src/task/spec/lodestar-spec.ts'
import { toSpecText } from '../../src/task/spec/spec-text.ts'
import { longestTurn } from '../event-loop.ts'

const never = new AbortController().signal
const project = { name: 'shop', default_branch: 'main', conventions: {} }

it('a specification that is written in slices is the same text as in one piece [spec-text-slices]', async () => {
  const task = fc.record({ title: fc.string(), description: fc.string(), priority: fc.nat(9) })
  const tasks = fc.dictionary(fc.string({ minLength: 1 }), task, { minKeys: 15, maxKeys: 50 })
  const features = fc.dictionary(fc.string(), fc.array(fc.string()), { maxKeys: 3 })
  await fc.assert(
    fc.asyncProperty(tasks, features, async (written, groups) => {
      const spec = {
        project,
        tasks: written as unknown as Record<string, SpecTask>,
        features: groups,
      }
      expect(await toSpecText(spec, never)).toBe(toYaml(spec))
    }),
    { numRuns: 60 },
  )
})

it('a specification of thousands of tasks leaves others their turn, and ends when it is cancelled [spec-text-turns]', async () => {
  const text = 'Writes of a cart go through one queue. '.repeat(8)
  const tasks = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, at) => [
      `T${at}`,
      { title: `Task ${at}`, description: text },
    ]),
  ) as unknown as Record<string, SpecTask>
  const spec = { project, tasks, features: {} }
  expect(await longestTurn(toSpecText(spec, never))).toBeLessThan(200)
  await expect(toSpecText(spec, AbortSignal.abort())).rejects.toThrow(/abort/)
})
