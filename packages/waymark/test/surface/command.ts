import { runCli } from '../../src/surfaces/cli/cli.ts'
import { createTestTerminal } from './test-terminal.ts'

export interface Answered {
  readonly exit: number
  readonly out: string
  readonly err: string
}

/** Runs the command in this process, which takes a fraction of the time of starting the built one. */
export async function command(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const terminal = createTestTerminal(cwd, { env: { PATH: process.env['PATH'] ?? '', ...env } })
  return { exit: await runCli(args, terminal), ...terminal.output }
}
