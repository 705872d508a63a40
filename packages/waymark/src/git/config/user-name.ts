import { firstCharacters } from '../../support/text/visible-text.ts'
import { placeOf, placeOutside, readPlace } from './git-place.ts'
import { listSettings } from './list-settings.ts'
import type { Setting } from './parse-config.ts'
import { parseUserSettings } from './user-settings.ts'

const LONGEST_NAME = 100

/** The name git would write into a commit here, or null when git has none or is not installed. */
export async function readUserName(root: string): Promise<string | null> {
  try {
    const options = readPlace(root)
    const own = nameIn(options?.settings ?? [])
    const place = options === undefined ? placeOutside(root) : placeOf(options)
    const given = (
      own ??
      nameIn(parseUserSettings((await listSettings(place)).stdout)) ??
      ''
    ).trim()
    const name = firstCharacters(given, LONGEST_NAME)
    return name === '' ? null : name
  } catch {
    return null
  }
}

function nameIn(settings: readonly Setting[]): string | undefined {
  return settings.findLast(({ key }) => key === 'user.name')?.value
}
