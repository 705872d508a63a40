import { constants } from 'node:os'

/** Error codes of the store. */
export type ContentErrorCode =
  | 'invalid_hash'
  | 'invalid_range'
  | 'too_large'
  | 'size_mismatch'
  | 'hash_mismatch'
  | 'missing'
  | 'corrupt'
  | 'no_space'
  | 'unavailable'

/** An error of the store; its message never contains a path. */
export class ContentError extends Error {
  override readonly name = 'ContentError'
  readonly code: ContentErrorCode

  constructor(code: ContentErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** Converts a file system error to a `ContentError`; other errors pass through. */
export function toContentError(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  if (hasCode(error, ['ENOSPC', 'EDQUOT', 'EFBIG'])) {
    return new ContentError('no_space', 'the disk is full; free some space and try again', {
      cause: error,
    })
  }
  return new ContentError(
    'unavailable',
    'the content folder cannot be used; check its owner, its permissions and the disk',
    { cause: error },
  )
}

export function hasCode(error: unknown, codes: readonly string[]): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  // Node reports EDQUOT by its number only.
  const isQuota = 'errno' in error && error.errno === -constants.errno.EDQUOT
  return codes.includes(isQuota ? 'EDQUOT' : String(error.code))
}
