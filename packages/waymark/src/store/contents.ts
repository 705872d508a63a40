import { join } from 'node:path'
import { ContentError, type ContentStore, createContentStore } from '@waymark/cas'
import { Failure, type FailureCode } from '../error.ts'
import { MACHINE_CLOCK } from '../machine-clock.ts'

/** The bytes of artifacts: files in the state folder, named by their hash. */
export function openContents(stateDir: string, limit: number): ContentStore {
  return createContentStore({
    folder: join(stateDir, 'cas'),
    limit,
    now: () => MACHINE_CLOCK.now(),
  })
}

const CODES = {
  invalid_hash: 'invalid_input',
  invalid_range: 'invalid_input',
  too_large: 'invalid_input',
  size_mismatch: 'invalid_input',
  hash_mismatch: 'invalid_input',
  missing: 'not_found',
  corrupt: 'storage_corrupt',
  no_space: 'storage_full',
  unavailable: 'storage_unavailable',
} as const satisfies Record<ContentError['code'], FailureCode>

/** Runs work on contents; what the store of contents refuses is a Failure of ours. */
export async function withContentFailures<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ContentError)) throw error
    throw new Failure(CODES[error.code], error.message, {
      details: { kind: 'content', reason: error.code },
      cause: error,
    })
  }
}
