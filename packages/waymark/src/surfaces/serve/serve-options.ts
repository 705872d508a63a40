import { type Command, Option } from 'commander'
import { DEFAULTS } from '../../core/project/config.ts'
import type { Run } from '../cli/process-commands.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Options that every way to serve has. */
export function addServeOptions(command: Command): Command {
  const several = (value: string, before: readonly string[] = []) => [...before, value]
  return command
    .option('--project <path>', 'serve this project; repeat for more than one', several)
    .addOption(
      new Option('--tool-names <spelling>', 'how names with dots are listed').choices([
        'dotted',
        'underscore',
      ]),
    )
    .option(
      '--timeout-seconds <number>',
      `stop a request that takes longer (default: ${DEFAULTS.requestTimeoutMs / 1000})`,
    )
    .option(
      '--max-concurrent-requests <number>',
      `queue requests above this number (default: ${DEFAULTS.maxConcurrentRequests})`,
    )
    .option('--log-file <path>', 'write the log to this file too')
    .option('--json-logs', 'write the log as JSON, one object in each line')
    .option('--read-only', 'refuse every change, and offer no tool that makes one')
    .option(
      '--toolsets <names>',
      'groups of tools: core, graph, entities, code, artifacts, admin, all',
    )
    .option('--tools <names>', 'offer these tools and no others')
    .option('--http [port]', 'serve over HTTP on this machine; 7777 unless a port is given')
    .option('--host <address>', 'serve over HTTP at this address instead of 127.0.0.1')
    .option('--port <number>', 'serve over HTTP on this port; 0 takes a free one')
    .option('--public-url <url>', 'address that clients use, when a proxy is in between')
    .option('--allowed-host <name>', 'name that clients may call the server by; repeat', several)
    .option('--allowed-origin <origin>', 'web page that may call the server; repeat', several)
    .option('--secret-file <path>', 'file with the secret that callers have to know')
    .option('--plain-http', 'serve other machines without TLS, on a trusted network')
    .option('--rate-limit <number>', 'requests that one agent may send in a second; 0 for no limit')
}

/** `waymark mcp serve`: the same server as the lodestar spec starts it. */
export function addMcpServe(program: Command, terminal: Terminal, run: Run): void {
  const group =
    program.commands.find((command) => command.name() === 'mcp') ??
    program.command('mcp').description('MCP servers of the lodestar and ultragit dialects')
  const command = group
    .command('serve')
    .description('Serve a repository to many agents, in the lodestar dialect')
    .option('--repo <path>', 'root of the repository')
    .option('--stdio', 'on standard input and output, unless --http is given')
    .option('--dev', 'log everything')
  addServeOptions(command).action(async (_options, command: Command) => {
    const { serve } = await import('./serve.ts')
    const { repo, dev, ...options } = command.optsWithGlobals()
    run.exitCode = await serve(
      {
        ...options,
        dialect: 'lodestar',
        ...(typeof repo === 'string' && { directory: repo }),
        ...(dev === true && { logLevel: 'debug' as const }),
      },
      terminal,
    )
  })
}
