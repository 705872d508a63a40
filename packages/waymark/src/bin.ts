import { VERSION } from './support/version.ts'
import { written } from './support/written.ts'

// Asked on every install check and by every wrapper, so it is answered before anything else is loaded.
if (['--version', '-V', '-v', 'version'].includes(process.argv[2] ?? '')) {
  process.stdout.write(`${VERSION}\n`)
} else {
  process.stdout.on('error', leave)
  const [{ runCli }, { processTerminal }] = await Promise.all([
    import('./surfaces/cli/cli.ts'),
    import('./surfaces/terminal/terminal.ts'),
  ])
  process.exitCode = await runCli(process.argv.slice(2), processTerminal())
  await end()
}

/** Exits without waiting for background work, such as retries of the telemetry export. */
async function end(): Promise<void> {
  await Promise.all([process.stdout, process.stderr].map(written))
  process.exit()
}

/** Exits quietly on EPIPE, as when `head` closes the pipe. A server has its own listener for a graceful shutdown. */
function leave(error: NodeJS.ErrnoException): void {
  if (process.stdout.listenerCount('error') > 1) return
  if (error.code !== 'EPIPE') throw error
  process.exit()
}
