import type { Command } from 'commander'
import type { Terminal } from '../terminal/terminal.ts'

/** `waymark join`: a clone that uses a team server. */
export function addJoin(program: Command, terminal: Terminal): void {
  program
    .command('join')
    .description('Use the tasks and knowledge of a team server in this clone')
    .argument('[url]', 'address of the server')
    .option('--project <name>', 'project there; the one of your token when absent')
    .option('--token-file <path>', 'file with your token or invitation; WAYMARK_TOKEN when absent')
    .option('--push', 'send what this clone knows to the server, with numbers, history and authors')
    .option('--leave', 'use the store of this clone again')
    .option('--pull', 'with --leave: take everything from the server into that store first')
    .action(async (url: string | undefined, _options, command: Command) => {
      const { joinCommand } = await import('./join-command.ts')
      await joinCommand(url, command.optsWithGlobals(), terminal)
    })
}
