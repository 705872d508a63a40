import { setTimeout as delay } from 'node:timers/promises'
import type { Code } from '../write/open-code.ts'
import type { FileView } from './file-view.ts'

/** How long an answer may take about a file whose history was cached, in milliseconds. */
const CACHED_MS = 100
/** Multiple of the time that git took for the history of the file. */
const PATIENCE = 1.1

/** Files like these are looked at however long it takes: what is said of them shall not depend on the machine's load. */
const ORDINARY = { characters: 32 * 1024, changes: 100 }

/**
 * When a question about a file is answered with what is known by then, by `performance.now()`. Only in a process that
 * goes on to find out the rest.
 */
export function answerBy(
  { repository, askedAt }: Code,
  { file, history }: Pick<FileView, 'file' | 'history'>,
): number {
  const { text, path } = file
  const changes = history?.changes.length ?? 0
  const isOrdinary = text.length <= ORDINARY.characters && changes <= ORDINARY.changes
  if (!repository.staysOpen || isOrdinary) return Infinity
  const cost = repository.histories.costOf(path)
  return askedAt + (cost === 0 ? CACHED_MS : PATIENCE * cost)
}

/** The result of the work if it settles by then, else undefined; a later error is reported by the next query. */
export async function settledBy<Value>(
  end: number,
  work: Promise<Value>,
): Promise<Value | undefined> {
  if (end === Infinity) return await work
  const timer = new AbortController()
  const { signal } = timer
  const over = delay(Math.max(0, end - performance.now()), undefined, { signal })
  try {
    return await Promise.race([work, over])
  } finally {
    timer.abort()
  }
}
