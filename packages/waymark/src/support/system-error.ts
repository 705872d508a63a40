import { constants } from 'node:os'

/** The name of an error of the system. Node has none for a quota that is used up, and gives its number. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const isQuota = 'errno' in error && error.errno === -constants.errno.EDQUOT
  return isQuota ? 'EDQUOT' : String(error.code)
}

export function hasCode(error: unknown, codes: readonly string[]): boolean {
  const code = systemCode(error)
  return code !== undefined && codes.includes(code)
}
