import type { Command } from 'commander'
import { initialiseProject } from '../project.ts'
import type { GlobalOptions } from './run-operation.ts'
import type { Terminal } from './terminal.ts'

/** What a command leaves behind for the process: its exit code. */
export interface Run {
  exitCode: number
}

/** Commands that are about this process and its project rather than about what is stored. */
export function addProcessCommands(program: Command, terminal: Terminal, run: Run): void {
  program
    .command('init')
    .description('Make this repository a Waymark project; safe to repeat')
    .action(async (_options, command: Command) => {
      const options: GlobalOptions = command.optsWithGlobals()
      const project = await initialiseProject(options.directory ?? terminal.cwd)
      if (options.json === true) terminal.out(`${JSON.stringify(project)}\n`)
      else
        terminal.out(
          project.created
            ? describeNew(project.root)
            : `already a Waymark project: ${project.root}\n`,
        )
    })

  program
    .command('serve')
    .description('Serve this project to an agent over MCP on standard input and output')
    .option(
      '--dialect <names>',
      'tool set to speak: waymark, medulla; several with commas',
      'waymark',
    )
    .option('--read-only', 'refuse every change')
    .option('--strict-protocol', 'refuse protocol versions other than the dialect’s own')
    .action(async (_options, command: Command) => {
      const { serve } = await import('./serve.ts')
      run.exitCode = await serve(command.optsWithGlobals(), terminal)
    })
}

function describeNew(root: string): string {
  return [
    `Waymark is ready in ${root}`,
    '',
    'Next:',
    '  waymark add decision "Use SQLite for storage" --status accepted',
    '  waymark list',
    '  waymark serve            speaks MCP; point your agent at this command',
    '',
  ].join('\n')
}
