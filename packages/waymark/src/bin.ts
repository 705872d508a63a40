import { VERSION } from './support/version.ts'

// Asked on every install check and by every wrapper, so it is answered before anything else is loaded.
if (['--version', '-V', '-v', 'version'].includes(process.argv[2] ?? '')) {
  process.stdout.write(`${VERSION}\n`)
} else if (process.argv[2] === 'hook' && process.argv[4] === '--host') {
  // As `waymark install --hooks` writes it: hosts wait for it at each prompt and edit, so it skips the command line,
  // and makes no stream where there is nothing to say.
  const { hookProcess } = await import('./surfaces/hook/run-hook.ts')
  const answer = await hookProcess(process.argv.slice(3))
  if (answer !== '') {
    process.stdout.on('error', leave).write(answer)
    await written(process.stdout)
  }
  process.exit()
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

/** Pipes are written in the background on Windows. */
async function written(stream: NodeJS.WriteStream): Promise<void> {
  while (stream.writableLength > 0 && !stream.destroyed)
    await new Promise((resolve) => setTimeout(resolve, 5))
}
