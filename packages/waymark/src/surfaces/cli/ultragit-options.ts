import type { Command } from 'commander'
import type { Run } from './process-commands.ts'
import type { GlobalOptions } from '../run-operation.ts'
import type { Terminal } from '../terminal/terminal.ts'

interface StartOptions extends GlobalOptions {
  readonly repo?: string
  readonly noteref?: string
  readonly write?: boolean
}

interface InstallOptions extends GlobalOptions {
  readonly config?: string
  readonly global?: boolean
}

/** `waymark mcp start` and `waymark mcp install`: the server of annotations, as the ultragit spec starts it. */
export function addMcpCommands(program: Command, terminal: Terminal, run: Run): void {
  const group =
    program.commands.find((command) => command.name() === 'mcp') ??
    program.command('mcp').description('MCP servers of the lodestar and ultragit dialects')
  group
    .command('start')
    .description('Serve the annotations of a repository, in the ultragit dialect')
    .option('--repo <path>', 'root of the repository')
    .option(
      '--noteref <ref>',
      'the only notes ref to use (default: refs/notes/ultragit, and refs/notes/waymark is read too)',
    )
    .option('--write', 'also offer a tool to annotate with')
    .action(async (_options, command: Command) => {
      const { startMcp } = await import('../mcp/mcp-start.ts')
      const options: StartOptions = command.optsWithGlobals()
      run.exitCode = await startMcp(options, terminal)
    })
  group
    .command('install')
    .description('Write that server into a configuration of MCP hosts; safe to repeat')
    .option('--config <path>', 'configuration file (default: .mcp.json in the repository)')
    .option('--global', 'in the configuration of Claude Desktop instead')
    .action(async (_options, command: Command) => {
      const { installMcp } = await import('../install/mcp-install.ts')
      const options: InstallOptions = command.optsWithGlobals()
      run.exitCode = await installMcp(options, terminal)
    })
}

export type { InstallOptions as McpInstallOptions, StartOptions as McpStartOptions }
