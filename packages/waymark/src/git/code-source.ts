import { Failure } from '../core/error.ts'
import type { Repository } from './repository.ts'

/** The code that annotations are about: a repository that is opened when somebody first asks for it. */
export interface CodeSource extends AsyncDisposable {
  repository(): Promise<Repository>
  /** The notes ref that this process was told to use, instead of the one in the repository's settings. */
  readonly noteRef?: string
  /** The notes ref to write to when nobody names one. */
  readonly fallbackRef?: string
}

export interface CodeSourceOptions {
  readonly root: string
  readonly stateDir: string
  readonly inGit: boolean
}

export function createCodeSource({ root, stateDir, inGit }: CodeSourceOptions): CodeSource {
  let opened: Promise<Repository> | undefined
  return {
    repository: () => {
      if (!inGit) return Promise.reject(notInGit())
      // Loaded late: a server connects, and most commands run, without any of the code that reads code.
      opened ??= import('./repository.ts').then(({ openRepository }) =>
        openRepository(root, stateDir),
      )
      return opened
    },
    [Symbol.asyncDispose]: async () => {
      if (opened !== undefined) await (await opened)[Symbol.asyncDispose]()
    },
  }
}

/** The same code, annotated in the ref that is named, or else in the one that a dialect is used to. */
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
  return new Failure(
    'not_initialised',
    'not a Git repository: annotations are kept in Git notes; run `git init` first',
  )
}
