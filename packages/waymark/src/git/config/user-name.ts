import { firstCharacters } from '../../support/text/visible-text.ts'
import { placeOf, placeOutside, readPlace } from './git-place.ts'
import { type GitPlace, runGit } from '../run.ts'

const LONGEST_NAME = 100

/** The name git would write into a commit here, or null when git has none or is not installed. */
export async function readUserName(root: string): Promise<string | null> {
  try {
    const options = readPlace(root)
    const own = options?.settings.findLast(({ key }) => key === 'user.name')?.value
    const place = options === undefined ? placeOutside(root) : placeOf(options)
    const given = (own ?? (await askForName(place)) ?? '').trim()
    const name = firstCharacters(given, LONGEST_NAME)
    return name === '' ? null : name
  } catch {
    return null
  }
}

async function askForName(place: GitPlace): Promise<string | undefined> {
  const { exitCode, stdout } = await runGit(['config', '--get', 'user.name'], place)
  return exitCode === 0 ? stdout : undefined
}
