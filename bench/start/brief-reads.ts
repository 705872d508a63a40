import { writeFileSync } from 'node:fs'
import { loadConfig } from '../../packages/waymark/src/core/project/config.ts'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import { briefFor } from '../../packages/waymark/src/surfaces/cli/prime-command.ts'
import { recordStatements } from '../profile/statements.ts'

/** Writes down the queries of one brief, as SQL and values. */
export async function recordBrief(directory: string, file: string): Promise<void> {
  const recorder = recordStatements()
  {
    await using project = await openProject(directory)
    const config = loadConfig(project.root, process.env)
    await briefFor(project, { config, env: process.env, host: 'claude-code' })
  }
  const isQuery = ([method]: readonly [method: string, ...rest: unknown[]]) =>
    method === 'get' || method === 'all'
  const queries = recorder.stop().filter(isQuery)
  writeFileSync(file, JSON.stringify(queries.map(([, sql, values]) => [sql, values])))
}
