import type { Stats } from 'node:fs'
import { Failure } from '../../core/error.ts'

/** What to say of something that is there and is no plain file. */
export function notPlain(stats: Stats): Failure {
  const problem = stats.isDirectory()
    ? 'the path is a folder; name a file'
    : 'the path is a pipe, a socket or a device; name a plain file'
  return new Failure('invalid_input', problem)
}
