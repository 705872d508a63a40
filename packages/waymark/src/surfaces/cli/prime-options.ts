import type { Command } from 'commander'
import type { Run } from './process-commands.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** `waymark prime`, which hosts run when a session begins. */
export function addPrime(program: Command, terminal: Terminal, run: Run): void {
  program
    .command('prime')
    .description('Print the brief when an agent’s session begins; silent outside a project')
    .option('--hook <host>', 'in the form that this host expects of a hook')
    .option('--max-tokens <number>', 'how long it may be', '800')
    .action(async (_options, command: Command) => {
      const { prime } = await import('./prime-command.ts')
      run.exitCode = await prime(command.optsWithGlobals(), terminal)
    })
}
