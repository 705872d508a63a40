import { Failure } from '../core/error.ts'
import type { Repository } from './repository.ts'

/** The annotated code: a repository that is opened on first use. */
export interface CodeSource extends AsyncDisposable {
  repository(): Promise<Repository>
  /** Notes ref of this process, which overrides the repository's settings. */
  readonly noteRef?: string
  /** The notes ref to write to when neither the call nor the settings name one. */
  readonly fallbackRef?: string
}

export interface CodeSourceOptions {
  readonly root: string
  readonly stateDir: string
  readonly inGit: boolean
  /** Caches nothing on the disk. */
  readonly isReadOnly?: boolean
  /** The process goes on after an answer, so that work for the next question can follow it. */
  readonly staysOpen?: boolean
}

export function createCodeSource({
  root,
  stateDir,
  inGit,
  isReadOnly = false,
  staysOpen = false,
}: CodeSourceOptions): CodeSource {
  let opened: Promise<Repository> | undefined
  return {
    repository: () => {
      if (!inGit) return Promise.reject(notInGit())
      // Lazy import: connecting a server and most commands need no code reader.
      opened ??= import('./repository.ts').then(({ openRepository }) =>
        openRepository(root, stateDir, { isReadOnly, staysOpen }),
      )
      return opened
    },
    [Symbol.asyncDispose]: async () => {
      if (opened !== undefined) await (await opened)[Symbol.asyncDispose]()
    },
  }
}

/** The same code with the given notes ref, or with the default ref of the dialect. */
export function withNoteRef(
  source: CodeSource,
  noteRef: string | undefined,
  dialect: string,
): CodeSource {
  return {
    ...source,
    ...(noteRef !== undefined && { noteRef }),
    ...(dialect === 'ultragit' && { fallbackRef: 'refs/notes/ultragit' }),
  }
}

function notInGit(): Failure {
  return new Failure('not_initialised', 'not a Git repository; run `git init`, then `waymark init`')
}
