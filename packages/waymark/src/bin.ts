import { VERSION } from './version.ts'

// Asked on every install check and by every wrapper, so it is answered before anything else is loaded.
if (process.argv[2] === '--version' || process.argv[2] === '-V') {
  process.stdout.write(`${VERSION}\n`)
} else {
  const [{ runCli }, { processTerminal }] = await Promise.all([
    import('./surface/cli.ts'),
    import('./surface/terminal.ts'),
  ])
  process.exitCode = await runCli(process.argv.slice(2), processTerminal())
}
