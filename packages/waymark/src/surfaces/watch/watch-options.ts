import type { Command } from 'commander'
import type { Run } from '../cli/process-commands.ts'
import type { Terminal } from '../terminal/terminal.ts'

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** `waymark watch`: a live view for people, a stream of events for programs. */
export function addWatch(program: Command, terminal: Terminal, run: Run): void {
  const several = (value: string, before: readonly string[] = []) => [...before, value]
  program
    .command('watch')
    .alias('top')
    .description(
      'Follow the project live and act, until you press q; in a pipe, one event per line',
    )
    .option('--events', 'only the events, one in each line')
    .option('--since <time>', 'the events since then, or after the one of this number')
    .option('--type <name>', 'only events of this type (repeatable)', several)
    .action(async (_options, command: Command) => {
      const { watch } = await import('./watch-command.ts')
      run.exitCode = await watch(command.optsWithGlobals(), terminal, stopSignal())
    })
}

/** Aborted by SIGINT and SIGTERM. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of STOP_SIGNALS) process.once(signal, () => controller.abort())
  return controller.signal
}
