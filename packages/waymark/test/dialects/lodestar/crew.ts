import { execute } from '../../../src/core/execute.ts'
import { createTasks } from '../../../src/task/operations.ts'
import { connect, type ConnectOptions, type DialectClient, type Fields } from '../client.ts'

/** A client of the dialect whose project has these tasks; all need verification, as the seed's do. */
export async function lodestarWith(
  tasks: readonly Fields[],
  options: ConnectOptions = {},
): Promise<DialectClient> {
  const lodestar = await connect('lodestar', options)
  if (tasks.length > 0) {
    await execute(lodestar.project.context, createTasks, {
      tasks: tasks.map((task) => ({ priority: 100, needs_verification: true, ...task })),
    })
  }
  return lodestar
}

export async function join(lodestar: DialectClient, name: string): Promise<string> {
  const { agentId } = await lodestar.call('lodestar.agent.join', { name })
  return String(agentId)
}
