import { type Command, Option } from 'commander'
import type { Setting } from '../../core/project/setting.ts'
import { PROJECT_SETTINGS, SERVER_SETTINGS } from '../../core/project/settings.ts'
import type { Run } from '../cli/process-commands.ts'
import type { Terminal } from '../terminal/terminal.ts'

const several = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
]

/** Options that every way to serve has. */
export function addServeOptions(command: Command): Command {
  const { requestTimeoutMs, maxConcurrentRequests } = PROJECT_SETTINGS
  const { toolsets, ...http } = SERVER_SETTINGS
  command
    .option('--project <path>', 'serve this project; repeat for more than one', several)
    .addOption(
      new Option('--tool-names <spelling>', 'how names with dots are listed').choices([
        'dotted',
        'underscore',
      ]),
    )
  addSettings(command, [requestTimeoutMs, maxConcurrentRequests])
    .option('--log-file <path>', 'write the log to this file too')
    .option('--json-logs', 'write the log as JSON, one object in each line')
    .option('--read-only', 'refuse every change, and offer no tool that makes one')
  addSettings(command, [toolsets]).option('--tools <names>', 'offer these tools and no others')
  return addSettings(command, Object.values(http))
}

/** The flags of the settings that have one. */
function addSettings(command: Command, settings: readonly Setting<unknown>[]): Command {
  for (const setting of settings) {
    if (setting.flag === undefined) continue
    const option = new Option(setting.flag, `${setting.help ?? setting.about}${startOf(setting)}`)
    command.addOption(Array.isArray(setting.default) ? option.argParser(several) : option)
  }
  return command
}

/** Commander prints a default that it sets itself; these are defaults of the setting, behind its variables. */
function startOf({ default: start, inSeconds }: Setting<unknown>): string {
  if (typeof start === 'string') return ` (default: ${start})`
  if (typeof start !== 'number') return ''
  return ` (default: ${inSeconds === undefined ? start : start / 1000})`
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
