import type { ChildProcessWithoutNullStreams, ExecFileException } from 'node:child_process'
import { once as awaitEvent } from 'node:events'
import { constants } from 'node:os'
import { pipeline, Readable } from 'node:stream'
import { Failure } from '../core/error.ts'
import { once } from '../support/once.ts'
import { hideCredentials } from './config/config-values.ts'
import type { Setting } from './config/parse-config.ts'
import { findGit } from './find-git.ts'

/** Where git is started, and on which repository and configuration. */
export interface GitPlace extends Reach {
  readonly cwd: string
  /** GIT_DIR and related variables. Without them git searches for a repository and applies its configuration. */
  readonly variables: Readonly<Record<string, string>>
  /** Settings in force on top of the user's own. */
  readonly settings: readonly Setting[]
}

export interface GitOptions extends GitPlace {
  readonly signal?: AbortSignal
  /** What git reads on standard input; nothing when absent. */
  readonly input?: string | Uint8Array | Readable
  /** Variables of this call alone. */
  readonly extraVariables?: Readonly<Record<string, string>>
}

/** Whether git may talk to a remote, also to get what a partial clone lacks. */
export interface Reach {
  readonly mayReachOut?: boolean
  /** Why it may not, for callers that need what only a remote has. */
  readonly refusal?: Failure
  /** Appended to the error when the remote cannot be reached. */
  readonly hint?: string
}

export interface GitResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

// These override the user's own settings: our calls run no hooks, no monitor and no maintenance, and never prompt.
const SAFE_OPTIONS = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'protocol.ext.allow=never',
  '-c',
  'log.showSignature=false',
  '-c',
  'core.quotePath=false',
  // Reports no refs of alternates. The default starts git in each alternate, with its configuration in force.
  '-c',
  'core.alternateRefsCommand=true',
  // Maintenance has to see all worktrees, which git finds through the GIT_COMMON_DIR that we replace.
  '-c',
  'gc.auto=0',
  '-c',
  'maintenance.auto=false',
]
const SAFE_ENVIRONMENT = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  LC_ALL: 'C',
}

/** Set by git for its hooks: they would point a command run from a hook at that hook's repository and index. */
const REPOSITORY_VARIABLES: ReadonlySet<string> = new Set([
  'GIT_DIR',
  'GIT_COMMON_DIR',
  'GIT_WORK_TREE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'GIT_SHALLOW_FILE',
  'GIT_GRAFT_FILE',
  'GIT_QUARANTINE_PATH',
  'GIT_CONFIG',
])

const gitProgram = once(() => findGit(process))

/** Loaded when git is started, which most commands do not need. */
const childProcess = () => process.getBuiltinModule('node:child_process')

const LARGEST_OUTPUT = 64 * 1024 * 1024
const LONGEST_MESSAGE = 200

/** Runs git without a shell. A non-zero exit is an answer, not an exception; only a git that cannot start throws. */
export function runGit(
  args: readonly string[],
  { signal, input, extraVariables, ...place }: GitOptions,
): Promise<GitResult> {
  const options = {
    cwd: place.cwd,
    signal,
    encoding: 'utf8' as const,
    maxBuffer: LARGEST_OUTPUT,
    windowsHide: true,
    env: { ...environment(place), ...extraVariables },
  }
  return new Promise((resolve, reject) => {
    const child = childProcess().execFile(
      gitProgram(),
      [...SAFE_OPTIONS, ...args],
      options,
      (error, stdout, stderr) => {
        const exitCode = error === null ? 0 : exitCodeOf(error)
        if (exitCode !== undefined) resolve({ exitCode, stdout, stderr })
        else if (error !== null) reject(error)
      },
    )
    // Git may answer and exit before it has read everything; its exit code tells what came of it.
    child.stdin?.on('error', () => {})
    if (input instanceof Readable && child.stdin !== null) pipeline(input, child.stdin, () => {})
    else child.stdin?.end(input)
  })
}

/** As a shell reports it. Undefined if git did not start or was stopped by us. */
function exitCodeOf({ code, signal }: ExecFileException): number | undefined {
  if (typeof code === 'number') return code
  // Git dies of SIGPIPE when the fetch that it starts for a missing object ends first.
  return code === null && signal ? 128 + constants.signals[signal] : undefined
}

/** What git printed, or a Failure with what git said was wrong. */
export async function askGit(args: readonly string[], options: GitOptions): Promise<string> {
  const result = await runGit(args, options)
  if (result.exitCode === 0) return result.stdout
  throw refusalIn(result.stderr, options) ?? toGitFailure(result)
}

/** Pipes the output of one git into another and returns what that prints. */
export async function pipeGit(
  from: readonly string[],
  to: readonly string[],
  { input, ...options }: Omit<GitOptions, 'input'> & { readonly input?: string },
): Promise<string> {
  const source = spawnGit(from, options)
  let stderr = ''
  source.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-2_000)
  })
  source.stdin.on('error', () => {}).end(input)
  const [[exitCode], printed] = await Promise.all([
    awaitEvent(source, 'close') as Promise<[number | null]>,
    askGit(to, { ...options, input: source.stdout }),
  ])
  if (exitCode === 0) return printed
  throw refusalIn(stderr, options) ?? toGitFailure({ exitCode: exitCode ?? 1, stdout: '', stderr })
}

/** Why git could not get an object from a remote, if that is what it complains about. */
export function refusalIn(stderr: string, { refusal, hint }: Reach): Failure | undefined {
  if (/transport '[^']*' not allowed/.test(stderr)) return refusal
  if (hint === undefined || !/promisor remote/.test(stderr)) return undefined
  return toGitFailure({ stderr, stdout: '', exitCode: 128 }, hint)
}

/** Synchronous variant; empty output if git fails. */
export function askGitNow(args: readonly string[], place: GitPlace): string | undefined {
  const stdio = ['ignore', 'pipe', 'ignore'] as const
  try {
    return childProcess().execFileSync(gitProgram(), [...SAFE_OPTIONS, ...args], {
      cwd: place.cwd,
      env: environment(place),
      stdio: [...stdio],
      encoding: 'utf8',
      windowsHide: true,
      maxBuffer: LARGEST_OUTPUT,
    })
  } catch {
    return undefined
  }
}

/** Starts a long-running git that is fed through standard input. */
export function spawnGit(args: readonly string[], place: GitPlace): ChildProcessWithoutNullStreams {
  const options = { cwd: place.cwd, windowsHide: true, env: environment(place) }
  return childProcess().spawn(gitProgram(), [...SAFE_OPTIONS, ...args], options)
}

/** `hint` follows git's own message. */
export function toGitFailure({ stderr, exitCode }: GitResult, hint?: string): Failure {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const told = lines.find((line) => line.startsWith('fatal: ')) ?? lines.at(-1)
  const text = (told ?? `exit code ${exitCode}`).replace(/^(fatal|error): /, '')
  // Git quotes untrusted file names and object contents of the repository in its messages.
  const message = hideCredentials(text).replaceAll(/\p{C}/gu, '?').slice(0, LONGEST_MESSAGE)
  const all = hint === undefined ? message : `${message}; ${hint}`
  return new Failure('storage_unavailable', `git: ${all}`, { details: { reason: 'git' } })
}

function environment({ mayReachOut, variables, settings }: GitPlace): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !REPOSITORY_VARIABLES.has(name))
  const protocols = mayReachOut === true ? {} : { GIT_ALLOW_PROTOCOL: 'none' }
  return {
    ...Object.fromEntries(inherited),
    ...SAFE_ENVIRONMENT,
    ...protocols,
    ...variables,
    ...toVariables(settings),
  }
}

/** Passed in the environment, because other users can read the arguments of a process. */
function toVariables(settings: readonly Setting[]): Record<string, string> {
  if (settings.length === 0) return {}
  const given = Number.parseInt(process.env['GIT_CONFIG_COUNT'] ?? '', 10) || 0
  const pairs = settings.flatMap(({ key, value }, at) => [
    [`GIT_CONFIG_KEY_${given + at}`, key],
    [`GIT_CONFIG_VALUE_${given + at}`, value],
  ])
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(given + settings.length) }
}
