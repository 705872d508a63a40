import { VERSION } from './support/version.ts'

// Asked on every install check and by every wrapper, so it is answered before anything else is loaded.
if (process.argv[2] === '--version' || process.argv[2] === '-V') {
  process.stdout.write(`${VERSION}\n`)
} else {
  process.stdout.on('error', leave)
  const [{ runCli }, { processTerminal }] = await Promise.all([
    import('./surfaces/cli/cli.ts'),
    import('./surfaces/terminal/terminal.ts'),
  ])
  process.exitCode = await runCli(process.argv.slice(2), processTerminal())
  // Whatever still runs was not asked for, such as attempts to reach a collector that is away.
  await Promise.all([process.stdout, process.stderr].map(written))
  process.exit()
}

/** Whoever reads may stop early, as `head` does. A server has a listener of its own, which ends it in good order. */
function leave(error: NodeJS.ErrnoException): void {
  if (process.stdout.listenerCount('error') > 1) return
  if (error.code !== 'EPIPE') throw error
  process.exit()
}

/** Pipes are written in the background on Windows. */
async function written(stream: NodeJS.WriteStream): Promise<void> {
  while (stream.writableLength > 0 && !stream.destroyed)
    await new Promise((resolve) => setTimeout(resolve, 5))
}
