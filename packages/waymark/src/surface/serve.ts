import { serveStdio } from '@waymark/baton/node'
import { loadConfig } from '../config.ts'
import { loadDialects } from '../dialects/load-dialects.ts'
import { createLogger } from '../logger.ts'
import { openProject, toProjectInfo } from '../project.ts'
import type { GlobalOptions } from './run-operation.ts'
import { createMcpServer } from './mcp.ts'
import type { Terminal } from './terminal.ts'

export interface ServeOptions extends GlobalOptions {
  readonly dialect: string
  readonly readOnly?: boolean
  readonly strictProtocol?: boolean
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Serves one agent on standard input and output until it hangs up or the process is told to stop. */
export async function serve(options: ServeOptions, terminal: Terminal): Promise<number> {
  const dialects = await loadDialects(options.dialect)
  await using project = await openProject(options.directory ?? terminal.cwd)
  const config = loadConfig(project.root, terminal.env, { actor: options.actor })
  const logger = createLogger({
    level: config.logLevel,
    target: `${dialects[0].server.name}::mcp`,
    write: (line) => terminal.err(`${line}\n`),
  })
  const server = createMcpServer({
    dialects,
    store: project.store,
    project: toProjectInfo(project, config),
    code: project.code,
    config,
    logger,
    access: { readOnly: options.readOnly === true },
    strictProtocol: options.strictProtocol === true,
  })
  const connection = serveStdio(server)
  const stop = (signal: NodeJS.Signals) => {
    logger.info('Shutting down...', { signal })
    void connection.close()
  }
  for (const signal of STOP_SIGNALS) process.once(signal, stop)
  logger.info('serving', {
    dialects: dialects.map(({ name }) => name).join(','),
    version: dialects[0].server.version,
  })
  await connection.closed
  logger.info('stopped')
  return 0
}
