import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { AGENT_VARIABLES } from '../../../waymark/src/surfaces/agent-host.ts'

const WAYMARK = fileURLToPath(new URL('../../../waymark/bin/waymark.js', import.meta.url))

/** By its address: what is there is typed for Node, and what is here for a browser. */
const SHELL = new URL('../../../waymark/test/surface/shell.ts', import.meta.url).href
interface ShellModule {
  readonly shell: () => Promise<Shell>
}
interface Shell extends AsyncDisposable {
  readonly directory: string
  readonly run: (
    words: readonly string[],
    options: { readonly env: NodeJS.ProcessEnv },
  ) => Promise<{ readonly exit: number; readonly out: string; readonly err: string }>
}

const UI = ['ui', '--no-open', '--json']
const SERVE = 'serve --http --port 0 --json --project'.split(' ')

/** A project in a folder of its own with a real server of its page. */
export interface TestProject extends AsyncDisposable {
  readonly directory: string
  /** Runs a command in this process, as the person or as an agent with `--actor`. */
  run(...args: readonly string[]): Promise<string>
  /** Starts the server of the page, on the same port as before, and answers an address that opens it once. */
  serve(): Promise<string>
  /** Ends the server as a crash does. */
  kill(): Promise<void>
}

const PERSON_OF_GIT = '[user]\n\tname = Kim\n\temail = kim@example.org\n'

/** With another project beside it, one server serves both. */
export async function createProject(beside?: TestProject): Promise<TestProject> {
  const { shell } = (await import(SHELL)) as ShellModule
  const repository = await shell()
  const { directory } = repository
  appendFileSync(join(directory, '.git', 'config'), PERSON_OF_GIT)
  const env = { PATH: process.env['PATH'] }
  const run = async (...args: readonly string[]): Promise<string> => {
    const { exit, out, err } = await repository.run(args, { env })
    if (exit !== 0) throw new Error(`waymark ${args.join(' ')}: ${err}`)
    return out
  }
  let server: ReturnType<typeof spawn> | undefined
  const kill = async (): Promise<void> => {
    const running = server
    server = undefined
    if (running === undefined || running.exitCode !== null) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill('SIGKILL')
    await ended
  }
  return {
    directory,
    run,
    kill,
    async serve() {
      const command =
        beside === undefined ? UI : [...SERVE, directory, '--project', beside.directory]
      server = spawn(process.execPath, [WAYMARK, ...command], {
        cwd: directory,
        env: PERSON,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const lines = createInterface({ input: server.stdout ?? process.stdin })
      const { value } = await lines[Symbol.asyncIterator]().next()
      const text = beside === undefined ? String(value) : await run(...UI)
      return (JSON.parse(text) as { url: string }).url
    },
    async [Symbol.asyncDispose]() {
      await kill()
      await repository[Symbol.asyncDispose]()
    },
  }
}

/** The person's environment: none of the variables by which the shell of an agent is recognised. */
const PERSON = {
  ...process.env,
  ...Object.fromEntries(AGENT_VARIABLES.map((name) => [name, ''])),
}
