import { execFile } from 'node:child_process'

export interface GitOptions {
  readonly cwd: string
  readonly signal?: AbortSignal
}

export interface GitResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

// The repository is untrusted: none of its settings may start a program, and git must never wait for a person.
const SAFE_OPTIONS = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'protocol.ext.allow=never',
]
const SAFE_ENVIRONMENT = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
  LC_ALL: 'C',
}

const LARGEST_OUTPUT = 64 * 1024 * 1024

/** Runs git without a shell. A non-zero exit is an answer, not an exception; only a git that cannot start throws. */
export function runGit(args: readonly string[], { cwd, signal }: GitOptions): Promise<GitResult> {
  const options = {
    cwd,
    signal,
    encoding: 'utf8' as const,
    maxBuffer: LARGEST_OUTPUT,
    windowsHide: true,
    env: { ...process.env, ...SAFE_ENVIRONMENT },
  }
  return new Promise((resolve, reject) => {
    execFile('git', [...SAFE_OPTIONS, ...args], options, (error, stdout, stderr) => {
      if (error === null) resolve({ exitCode: 0, stdout, stderr })
      else if (typeof error.code === 'number') resolve({ exitCode: error.code, stdout, stderr })
      else reject(error)
    })
  })
}
