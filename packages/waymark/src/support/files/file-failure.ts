import { Failure, type FailureCode } from '../../core/error.ts'
import { hasCode, systemCode } from '../system-error.ts'

/** The Failure for each error of the file system about a caller's path. */
const ANSWERS = {
  ENAMETOOLONG: ['invalid_input', 'the path is too long; give a shorter one'],
  ERR_INVALID_ARG_VALUE: ['invalid_input', 'the path contains a zero byte; leave it out'],
  ENOTDIR: ['invalid_input', 'a part of the path is a file, not a folder'],
  EISDIR: ['invalid_input', 'the path is a folder; name a file'],
  EINVAL: ['invalid_input', 'the path cannot be used on this system; give another one'],
  ELOOP: ['invalid_input', 'the path is a symlink cycle'],
  EACCES: ['forbidden', 'the system does not allow access to the path'],
  EPERM: ['forbidden', 'the system does not allow access to the path'],
  EROFS: ['forbidden', 'the path is on a file system that cannot be written'],
  ENOSPC: ['storage_full', 'the disk is full; make room and try again'],
  EDQUOT: ['storage_full', 'the disk quota is used up; make room and try again'],
} as const satisfies Readonly<Record<string, readonly [FailureCode, string]>>

/** Runs `work` on the path in `field`; errors about the path name the field. */
export async function withField<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw naming(field, error)
  }
}

/** Codes that are about the path, not about reading or writing the file. */
const ABOUT_PATHS: ReadonlySet<FailureCode> = new Set(['invalid_input', 'forbidden', 'conflict'])

function naming(field: string, error: unknown): unknown {
  const failure = error instanceof Failure ? error : (toMissing(error) ?? toFileFailure(error))
  if (failure === undefined) return error
  if (!ABOUT_PATHS.has(failure.code) || 'field' in failure.details) return failure
  const { code, message, details } = failure
  return new Failure(code, `${field}: ${message}`, { details: { ...details, field }, cause: error })
}

function toMissing(error: unknown): Failure | undefined {
  if (!hasCode(error, ['ENOENT'])) return undefined
  return new Failure('invalid_input', 'there is no such file or folder', { cause: error })
}

/** The answer to an error of the file system; undefined for every other error. */
export function toFileFailure(error: unknown): Failure | undefined {
  const code = systemCode(error)
  if (code === undefined || !(error instanceof Error)) return undefined
  // Node gives this code to all kinds of arguments; only this one is about a path.
  if (code === 'ERR_INVALID_ARG_VALUE' && !error.message.includes('null bytes')) return undefined
  if (!hasAnswer(code)) return undefined
  const [failureCode, message] = ANSWERS[code]
  return new Failure(failureCode, message, { details: { reason: code }, cause: error })
}

function hasAnswer(code: string): code is keyof typeof ANSWERS {
  return Object.hasOwn(ANSWERS, code)
}
