import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { AGENT_VARIABLES } from '../../../waymark/src/surfaces/agent-host.ts'

const WAYMARK = fileURLToPath(new URL('../../../waymark/bin/waymark.js', import.meta.url))

const UI = ['ui', '--no-open', '--json']
const SERVE = 'serve --http --port 0 --json --project'.split(' ')

/** A project in a folder of its own with a real server of its page. */
export interface TestProject extends AsyncDisposable {
  readonly directory: string
  /** The file that is run as `waymark`, and the environment of the person. */
  readonly command: string
  readonly env: NodeJS.ProcessEnv
  /** Runs a command as the person, or as an agent with `--actor`. */
  run(...args: readonly string[]): string
  /** Starts the server of the page, on the same port as before, and answers an address that opens it once. */
  serve(): Promise<string>
  /** Ends the server as a crash does. */
  kill(): Promise<void>
}

/** With another project beside it, one server serves both. */
export function createProject(beside?: TestProject): TestProject {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-page-'))
  const run = (...args: readonly string[]): string =>
    execFileSync(process.execPath, [WAYMARK, ...args], {
      cwd: directory,
      encoding: 'utf8',
      env: PERSON,
    })
  let server: ReturnType<typeof spawn> | undefined
  const kill = async (): Promise<void> => {
    const running = server
    server = undefined
    if (running === undefined || running.exitCode !== null) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill('SIGKILL')
    await ended
  }
  execFileSync('git', ['init', '--quiet', directory])
  execFileSync('git', ['config', 'user.name', 'Kim'], { cwd: directory })
  execFileSync('git', ['config', 'user.email', 'kim@example.org'], { cwd: directory })
  run('init')
  return {
    directory,
    command: WAYMARK,
    env: PERSON,
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
      const text = beside === undefined ? String(value) : run(...UI)
      return (JSON.parse(text) as { url: string }).url
    },
    async [Symbol.asyncDispose]() {
      await kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** The person's environment: none of the variables by which the shell of an agent is recognised. */
const PERSON = {
  ...process.env,
  ...Object.fromEntries(AGENT_VARIABLES.map((name) => [name, ''])),
}
