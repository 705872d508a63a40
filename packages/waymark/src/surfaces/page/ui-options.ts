import type { Command } from 'commander'
import type { Run } from '../cli/process-commands.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** `waymark ui`: the page for the person; `waymark open 12` is the same. */
export function addUi(program: Command, terminal: Terminal, run: Run): void {
  program
    .command('ui')
    .alias('open')
    .description('Open the page that shows, live, what agents do, and lets you act')
    .argument('[what]', 'a number, a file such as src/main.ts:40, or a view such as board')
    .option('--read-only', 'open it without the right to change anything')
    .option('--no-open', 'print the address instead of opening it')
    .option('--port <number>', 'serve on this port; else on the same one as before')
    .action(async (what: string | undefined, _options, command: Command) => {
      const { uiCommand } = await import('./ui-command.ts')
      run.exitCode = await uiCommand(what, command.optsWithGlobals(), terminal)
    })
}
