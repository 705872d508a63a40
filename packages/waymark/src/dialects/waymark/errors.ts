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

/** Kinds of things that have no number; where the message says it all, there is no advice. */
const ADVICE_BY_KIND: Readonly<Record<string, string | undefined>> = {
  // The message names those that are there.
  agent: undefined,
  file: 'Name a file of the repository, by its path from the top.',
}

/** The Failure and the way out of it, on two lines. */
export function explain({ code, message, details }: Failure): string {
  const advice = adviceFor(code, details)
  return advice === undefined ? `${code}: ${message}` : `${code}: ${message}\n${advice}`
}

function adviceFor(code: FailureCode, details: Failure['details']): string | undefined {
  const kind = String(details['kind'])
  if (code === 'not_found' && kind in ADVICE_BY_KIND) return ADVICE_BY_KIND[kind]
  // Still the caller's task.
  return details.reason === 'outdated_fence' ? undefined : ADVICE[code]
}
