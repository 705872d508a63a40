import {
  type ChildProcessWithoutNullStreams,
  execFile,
  execFileSync,
  spawn,
} from 'node:child_process'
import { once } from 'node:events'
import { pipeline, Readable } from 'node:stream'
import { Failure } from '../error.ts'

export interface GitOptions extends Reach {
  readonly cwd: string
  readonly signal?: AbortSignal
  /** What git reads on standard input; nothing when absent. */
  readonly input?: string | Uint8Array | Readable
}

/** Whether git may talk to a remote, also to get what a partial clone lacks. The repository can say how it does that. */
export interface Reach {
  readonly mayReachOut?: boolean
  /** Why it may not, for whoever needs what only a remote has. */
  readonly refusal?: Failure
}

export interface GitResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

// The repository is untrusted: none of its settings may start a program, and git must never wait for a person.
// Hooks that are named in settings have no such option; planted-programs.ts finds them.
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
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'GIT_SHALLOW_FILE',
  'GIT_GRAFT_FILE',
  'GIT_QUARANTINE_PATH',
])

const LARGEST_OUTPUT = 64 * 1024 * 1024
const LONGEST_MESSAGE = 200

/** Runs git without a shell. A non-zero exit is an answer, not an exception; only a git that cannot start throws. */
export function runGit(
  args: readonly string[],
  { cwd, signal, input, mayReachOut = false }: GitOptions,
): Promise<GitResult> {
  const options = {
    cwd,
    signal,
    encoding: 'utf8' as const,
    maxBuffer: LARGEST_OUTPUT,
    windowsHide: true,
    env: environment(mayReachOut),
  }
  return new Promise((resolve, reject) => {
    const child = execFile('git', [...SAFE_OPTIONS, ...args], options, (error, stdout, stderr) => {
      if (error === null) resolve({ exitCode: 0, stdout, stderr })
      else if (typeof error.code === 'number') resolve({ exitCode: error.code, stdout, stderr })
      else reject(error)
    })
    // Git may answer and exit before it has read everything; its exit code tells what came of it.
    child.stdin?.on('error', () => {})
    if (input instanceof Readable && child.stdin !== null) pipeline(input, child.stdin, () => {})
    else child.stdin?.end(input)
  })
}

/** What git printed, or a Failure with what git said was wrong. */
export async function askGit(args: readonly string[], options: GitOptions): Promise<string> {
  const result = await runGit(args, options)
  if (result.exitCode === 0) return result.stdout
  throw refusalIn(result.stderr, options) ?? toGitFailure(result)
}

/** What one git prints about all that another one prints, however much that is. */
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
    once(source, 'close') as Promise<[number | null]>,
    askGit(to, { ...options, input: source.stdout }),
  ])
  if (exitCode === 0) return printed
  throw refusalIn(stderr, options) ?? toGitFailure({ exitCode: exitCode ?? 1, stdout: '', stderr })
}

/** Why git was kept from a remote, if that is what it complains about. */
export function refusalIn(stderr: string, { refusal }: Reach): Failure | undefined {
  return /transport '[^']*' not allowed/.test(stderr) ? refusal : undefined
}

/** What git printed, for the few who cannot wait for it; nothing when git says no. */
export function askGitNow(args: readonly string[], cwd: string): string | undefined {
  const env = environment(false)
  const stdio = ['ignore', 'pipe', 'ignore'] as const
  try {
    return execFileSync('git', [...SAFE_OPTIONS, ...args], {
      cwd,
      env,
      stdio: [...stdio],
      encoding: 'utf8',
      windowsHide: true,
      maxBuffer: LARGEST_OUTPUT,
    })
  } catch {
    return undefined
  }
}

/** A git that stays and answers what it reads on standard input. */
export function spawnGit(
  args: readonly string[],
  { cwd, mayReachOut = false }: Pick<GitOptions, 'cwd' | 'mayReachOut'>,
): ChildProcessWithoutNullStreams {
  const env = environment(mayReachOut)
  return spawn('git', [...SAFE_OPTIONS, ...args], { cwd, windowsHide: true, env })
}

export function toGitFailure({ stderr, exitCode }: GitResult): Failure {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const told = lines.find((line) => line.startsWith('fatal: ')) ?? lines.at(-1)
  const text = (told ?? `exit code ${exitCode}`).replace(/^(fatal|error): /, '')
  // Git quotes file names and object contents in its messages, and those come from whoever wrote the repository.
  const message = text.replaceAll(/\p{C}/gu, '?').slice(0, LONGEST_MESSAGE)
  return new Failure('storage_unavailable', `git: ${message}`, { details: { reason: 'git' } })
}

function environment(mayReachOut: boolean): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !REPOSITORY_VARIABLES.has(name))
  const protocols = mayReachOut ? {} : { GIT_ALLOW_PROTOCOL: 'none' }
  return { ...Object.fromEntries(inherited), ...SAFE_ENVIRONMENT, ...protocols }
}
