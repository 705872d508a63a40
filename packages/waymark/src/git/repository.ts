import { ObjectReader } from './object-reader.ts'
import { askGit, type GitOptions, type GitResult, runGit } from './run.ts'

type CallOptions = Omit<GitOptions, 'cwd'>

/** One Git repository and the processes that read it. Nothing is started before something is asked. */
export interface Repository extends AsyncDisposable {
  /** The working tree's top folder; in a bare repository the repository itself. */
  readonly root: string
  /** A folder of our own that all worktrees share: locks and caches. */
  readonly stateDir: string
  readonly objects: ObjectReader
  /** Runs git here; a non-zero exit is an answer. */
  run(args: readonly string[], options?: CallOptions): Promise<GitResult>
  /** Runs git here and gives what it printed; a non-zero exit is a Failure. */
  ask(args: readonly string[], options?: CallOptions): Promise<string>
}

export function openRepository(root: string, stateDir: string): Repository {
  const objects = new ObjectReader(root)
  return {
    root,
    stateDir,
    objects,
    run: (args, options) => runGit(args, { ...options, cwd: root }),
    ask: (args, options) => askGit(args, { ...options, cwd: root }),
    [Symbol.asyncDispose]: () => objects[Symbol.asyncDispose](),
  }
}
