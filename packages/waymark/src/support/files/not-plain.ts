import type { Stats } from 'node:fs'
import { Failure } from '../../core/error.ts'

/** The error for a path that exists and is not a regular file. */
export function notPlain(stats: Stats): Failure {
  const problem = stats.isDirectory()
    ? 'the path is a folder; name a file'
    : 'the path is not a regular file (pipe, socket or device); name a file'
  return new Failure('invalid_input', problem)
}
