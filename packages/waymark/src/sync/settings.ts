import { Failure } from '../core/error.ts'
import { isBoolean, isEnabled } from '../git/config/config-values.ts'
import type { Setting } from '../git/config/parse-config.ts'

/** Sync settings from the user's own Git config, never from the repository's. */
export interface SyncSettings {
  /** Sign the commits of the log. */
  readonly signs: boolean
  /** Merge only segments signed with a trusted key. */
  readonly quarantines: boolean
}

const SIGN = 'waymark.sync.sign'
const UNSIGNED = 'waymark.sync.unsigned'

/** `user`: the user's own settings. */
export function readSyncSettings(user: readonly Setting[]): SyncSettings {
  const valueOf = (key: string) => user.findLast((setting) => setting.key === key)?.value
  const sign = valueOf(SIGN) ?? 'false'
  const unsigned = (valueOf(UNSIGNED) ?? 'accept').toLowerCase()
  if (!isBoolean(sign)) throw wrong(SIGN, 'true or false', sign)
  if (unsigned !== 'accept' && unsigned !== 'quarantine') {
    throw wrong(UNSIGNED, 'accept or quarantine', unsigned)
  }
  return { signs: isEnabled(sign), quarantines: unsigned === 'quarantine' }
}

function wrong(setting: string, valid: string, value: string): Failure {
  const shown = JSON.stringify(value.slice(0, 100))
  return new Failure(
    'invalid_input',
    `${setting}: must be ${valid}, not ${shown}; set it with git config --global ${setting}`,
    { details: { field: setting, value: value.slice(0, 100) } },
  )
}
