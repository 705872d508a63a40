import type { Failure, FailureCode } from '../../core/error.ts'

/** What to do about it, for a model that would otherwise try the same again. */
const ADVICE: Partial<Record<FailureCode, string>> = {
  invalid_input: 'Correct the named field and call again.',
  ambiguous_id: 'Use one of the numbers.',
  not_found: 'Find its number with recall, task_get or brief.',
  conflict: 'Read it again before you decide; do not repeat the call unchanged.',
  lease_lost: 'Stop working on it: another agent may have it. Call brief.',
  forbidden: 'This server does not allow it; tell the user.',
  busy: 'Call again in a moment.',
  timeout: 'Call again, asking for less.',
  not_initialised: 'Ask the user to run `waymark init`.',
  storage_full: 'Tell the user that the disk is full; nothing was lost.',
  storage_corrupt: 'Tell the user to run `waymark doctor`.',
}

/** The Failure and the way out of it, on two lines. */
export function explain({ code, message, details }: Failure): string {
  // An unknown recipient has no number; the message names those that are there.
  const advice = details['kind'] === 'agent' ? undefined : ADVICE[code]
  return advice === undefined ? `${code}: ${message}` : `${code}: ${message}\n${advice}`
}
