import {
  chownSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, parse, resolve, sep } from 'node:path'
import { Failure } from '../core/error.ts'
import { placeOutside } from './config/git-place.ts'
import { quoteFolder } from './config/quote-folder.ts'
import { askGitNow } from './run.ts'

/** A folder or file, and the user it belongs to. */
interface Foreign {
  readonly path: string
  readonly uid: number
}

/**
 * Refuses a project of which a folder belongs to another user, as Git refuses its repository: that user chooses its
 * settings, hooks and knowledge, and reads new entries. `safe.directory` in the caller's own Git settings makes an
 * exception for `root`. Paths that do not exist are fine. On Windows, which has no uids, the check is left to Git.
 */
export function assertOwned(root: string, paths: readonly string[]): void {
  const foreign = findForeign([root, ...paths])
  if (foreign === undefined || isDeclaredSafe(root)) return
  const { path, uid } = foreign
  const me = process.geteuid?.()
  const safe = `if you trust its owner, run: git config --global --add safe.directory ${quoteFolder(real(root))}`
  // Within a folder of ours, only root could have made it: with sudo, or in a container.
  const isLeftover = uid === 0 && findForeign([root]) === undefined
  const remedy = isLeftover ? `give it back: sudo chown -R ${me} ${quoteFolder(path)}` : safe
  throw new Failure(
    'storage_unavailable',
    `${path} is owned by uid ${uid}, not by you (uid ${me}); ${remedy}`,
    { details: { reason: 'foreign_owner', uid } },
  )
}

/**
 * Root works in the project of another user, with sudo or in a container: that user gets what root has made, or could
 * not open the project again. Called when a project is made and closed. Elsewhere than on Linux no entry can be pinned
 * while its owner swaps folders for links; there the next error names path and remedy.
 */
export function giveToOwner(root: string, stateDir: string): void {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return
  try {
    const owner = statSync(root)
    if (owner.uid === 0) return
    const above = dirname(stateDir)
    const isPlain = basename(above) === '.waymark'
    withPinned(isPlain ? dirname(above) : above, (folder, { uid }) => {
      // Through a link in the path, it may be a folder of another user.
      if (uid !== owner.uid) return
      if (isPlain) return giveAway(`${folder}/.waymark`, owner)
      giveAway(`${folder}/${basename(stateDir)}`, owner)
      withPinned(`${folder}/refs`, (refs) => {
        for (const name of ['waymark', 'notes']) giveAway(`${refs}/${name}`, owner)
      })
    })
  } catch {
    // Other processes come and go, and some file systems know no owners: then the next error names path and remedy.
  }
}

function giveAway(path: string, owner: Stats): void {
  withPinned(path, (pinned, found) => {
    const names = found.isDirectory() ? readdirSync(pinned) : []
    for (const name of names) giveAway(`${pinned}/${name}`, owner)
    // A second name may be that of a file elsewhere.
    const isOurs = found.isDirectory() || (found.isFile() && found.nlink === 1)
    if (isOurs && found.uid === 0) chownSync(pinned, owner.uid, owner.gid)
  })
}

/** O_PATH, for which Node has no name: a file is not opened, and closing it releases no lock that SQLite has on it. */
const PIN = 0o10_000_000 | (constants.O_NOFOLLOW ?? 0)

/** A path that leads to exactly this entry, and to no other that takes its name; a link leads to nothing. */
function withPinned(path: string, use: (pinned: string, found: Stats) => void): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return
  const file = openSync(path, PIN)
  try {
    use(`/proc/self/fd/${file}`, fstatSync(file))
  } finally {
    closeSync(file)
  }
}

function findForeign(paths: readonly string[]): Foreign | undefined {
  const me = process.geteuid?.()
  if (me === undefined) return undefined
  // Git's own tests have no second user either.
  const isOthers = /^(?:1|true|yes|on)$/i.test(process.env['GIT_TEST_ASSUME_DIFFERENT_OWNER'] ?? '')
  for (const path of paths) {
    const uid = ownerOf(path)
    if (uid !== undefined && (isOthers || !isMine(uid, me))) return { path, uid }
  }
  return undefined
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.uid
  } catch {
    return undefined
  }
}

/** Root may use what belongs to root, and with sudo what belongs to the user who called it. */
function isMine(uid: number, me: number): boolean {
  if (me !== 0 || uid === 0) return uid === me
  const caller = process.env['SUDO_UID'] ?? ''
  return /^\d{1,10}$/.test(caller) && Number(caller) === uid
}

const LIST = ['config', '--show-scope', '-z', '--type=path', '--get-all', 'safe.directory']

/** A repository cannot say of itself that it is safe, so its own settings do not count. */
function isDeclaredSafe(root: string): boolean {
  const fields = (askGitNow(LIST, placeOutside(parse(resolve(root)).root)) ?? '').split('\0')
  let isSafe = false
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope, value = ''] = [fields[at], fields[at + 1]]
    if (scope === 'local' || scope === 'worktree') continue
    // An empty value resets the list.
    isSafe = value !== '' && (isSafe || covers(value, real(root)))
  }
  return isSafe
}

function covers(value: string, folder: string): boolean {
  if (value === '*') return true
  if (!value.endsWith('/*')) return real(value) === folder
  const above = real(value.slice(0, -1))
  return folder.startsWith(above.endsWith(sep) ? above : above + sep)
}

function real(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return resolve(path)
  }
}
