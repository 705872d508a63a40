import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Verdict } from './run.ts'

/** What was tried before a process ended, in a file; so that hours of trying need not be one process. */
export interface Resume {
  verdictOf(id: string): Verdict | undefined
  keep(verdict: Verdict): void
}

interface Kept {
  /** Only what was tried with the same code counts. */
  readonly commit: string
  readonly verdicts: Readonly<Record<string, Verdict>>
}

export function resumeFrom(path: string): Resume {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
  const found = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Kept) : undefined
  let verdicts = found?.commit === commit ? found.verdicts : {}
  return {
    verdictOf: (id) => verdicts[id],
    keep: (verdict) => {
      verdicts = { ...verdicts, [verdict.id]: verdict }
      writeFileSync(`${path}.new`, JSON.stringify({ commit, verdicts } satisfies Kept))
      renameSync(`${path}.new`, path)
    },
  }
}
