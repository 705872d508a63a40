import { expect, it } from 'vitest'
import { openPostgres } from '../../src/core/postgres/open.ts'
import { offeredOf } from '../../src/task/queue/selection-store.ts'
import { takeProject } from './recycled-project.ts'

const DATABASE = process.env['WAYMARK_DATABASE_URL'] ?? ''

it('the first task of the queue is found without joining all others [postgres-queue-plan]', async () => {
  const { projectId, recycle } = await takeProject(DATABASE)
  {
    await using engine = await openPostgres(projectId, DATABASE)
    for (const state of ['ready', 'claimable', 'offered'] as const) {
      const { where = '', values } = offeredOf({ state, now: 0 }) ?? {}
      const plan = await engine.all<object>(
        `EXPLAIN SELECT t.id FROM task AS t WHERE t.closed = 0 AND t.blocked = 0 AND ${where}
          ORDER BY t.priority, t.rank, t.due, t.number LIMIT 1`,
        values,
      )
      const lines: string[] = plan.flatMap((row) => Object.values(row))
      const below = lines.findIndex((line) => /^ *SubPlan 1/.test(line))
      expect(below).toBeGreaterThan(0)
      expect(lines.slice(0, below).join('\n')).not.toMatch(/Join|hashed/)
    }
  }
  await recycle()
})
