import { Failure } from '../core/error.ts'
import { isBoolean, isEnabled } from '../git/config/config-values.ts'
import type { Setting } from '../git/config/parse-config.ts'

/** Sync settings from the user's own Git config, never from the repository's. */
export interface SyncSettings {
  /** Sign the commits of the log. */
  readonly signs: boolean
  /** Merge only segments signed with a trusted key. */
  readonly quarantines: boolean
  /** Remotes that are only fetched from. */
  readonly readOnly: ReadonlySet<string>
  /** Where the remote has log and notes, if not in `refs/waymark` and `refs/notes`. */
  readonly namespace: string | undefined
}

const SIGN = 'waymark.sync.sign'
const UNSIGNED = 'waymark.sync.unsigned'
const READ_ONLY = 'waymark.sync.readonly'
const NAMESPACE = 'waymark.sync.namespace'
/** As git accepts it, without the forms that mean something else in a refspec. */
const REF_FOLDER = /^refs(?:\/[a-z0-9_][a-z0-9_-]*)+$/i

/** `user`: the user's own settings. */
export function readSyncSettings(user: readonly Setting[]): SyncSettings {
  const valueOf = (key: string) => user.findLast((setting) => setting.key === key)?.value
  const sign = valueOf(SIGN) ?? 'false'
  const unsigned = (valueOf(UNSIGNED) ?? 'accept').toLowerCase()
  if (!isBoolean(sign)) throw wrong(SIGN, 'true or false', sign)
  if (unsigned !== 'accept' && unsigned !== 'quarantine') {
    throw wrong(UNSIGNED, 'accept or quarantine', unsigned)
  }
  const namespace = valueOf(NAMESPACE) ?? undefined
  if (namespace !== undefined && !REF_FOLDER.test(namespace)) {
    throw wrong(NAMESPACE, 'a folder of refs such as refs/heads/waymark', namespace)
  }
  const readOnly = user.filter(({ key }) => key === READ_ONLY).map(({ value }) => value ?? '')
  return {
    signs: isEnabled(sign),
    quarantines: unsigned === 'quarantine',
    readOnly: new Set(readOnly),
    namespace,
  }
}

function wrong(setting: string, valid: string, value: string): Failure {
  const shown = JSON.stringify(value.slice(0, 100))
  return new Failure(
    'invalid_input',
    `${setting}: must be ${valid}, not ${shown}; set it with git config --global ${setting}`,
    { details: { field: setting, value: value.slice(0, 100) } },
  )
}
