// Takes what there is to do, renews it and is killed by it: `poison-worker <repository> <now>`.
import { createContext } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { SILENT } from '../../src/support/logger.ts'
import { renewTask, takeTask } from '../../src/task/lease/operations.ts'
import { openProject } from '../../src/core/project/project.ts'

const [directory = '', now = ''] = process.argv.slice(2)
await using project = await openProject(directory)
const context = createContext({
  store: project.store,
  agent: { name: 'worker', surface: 'api' },
  logger: SILENT,
  now: () => Number(now),
})
const { claimed } = await execute(context, takeTask, {})
if (claimed !== null) {
  await execute(context, renewTask, { id: claimed.task.id, fence: claimed.lease.fence })
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => setInterval(() => {}, 1000))
}
