import { Failure } from '../core/error.ts'

/** Result of one check. A warning does not fail the command. */
export interface Check {
  readonly name: string
  readonly status: 'ok' | 'warning' | 'failed'
  readonly message: string
  /** What to do about it. */
  readonly fix?: string
}

/** A check that fails with what it throws. */
export async function check(
  name: string,
  look: () => Promise<Omit<Check, 'name'>>,
): Promise<Check> {
  try {
    return { name, ...(await look()) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { name, status: 'failed', message: error.message }
  }
}
