import { Failure } from '../../core/error.ts'
import { toCommitText } from '../../git/objects/commit/commit-text.ts'
import { objectFormat } from '../../git/objects/object-format.ts'
import { toObject } from '../../git/objects/pack-stream.ts'
import { parseTree } from '../../git/objects/parse-tree.ts'
import { isCorruption } from '../../git/objects/read-object.ts'
import type { RemoteAccess, RemoteCall } from '../../git/remote/remotes.ts'
import type { Repository } from '../../git/repository.ts'
import { type GitResult, toGitFailure } from '../../git/run.ts'
import type { SideRepository } from '../../git/side-repository.ts'
import { isRace, refusedBy } from '../remote/push-result.ts'
import type { RemoteTips } from '../remote/remote-tips.ts'
import {
  BadRegister,
  EMPTY_REGISTER,
  LARGEST_FILE,
  parseRegister,
  type Register,
  REGISTER_FILES,
  type RegisterFiles,
  toFiles,
} from './register.ts'

/** The register at a remote, and how git reaches it. */
export interface LiveRemote {
  readonly name: string
  readonly access: RemoteAccess
  /** The name of the ref there. */
  readonly ref: string
  readonly repository: Repository
  readonly side: SideRepository
  readonly signal: AbortSignal
  /** Git asks the user for nothing. */
  readonly variables: Readonly<Record<string, string>>
}

/** The register as it was read, and the commit to compare with when it is replaced. */
export interface LiveVersion {
  readonly tip: string | undefined
  readonly register: Register
}

const TIP = 'refs/live/tip'
const LARGEST_OBJECT = 4096
/** How long git may take for one round trip. */
const LONGEST_CALL_MS = 20_000
const WHO = 'waymark <waymark@localhost>'

/** One round trip; none if the register is known by what the remote's refs point to. */
export async function fetchLive(live: LiveRemote, tips?: RemoteTips): Promise<LiveVersion> {
  return (tips && (await readKnown(live, tips))) ?? (await fetchNow(live))
}

/** Undefined if it has to be fetched. */
async function readKnown(live: LiveRemote, tips: RemoteTips): Promise<LiveVersion | undefined> {
  // Tips are those of where the remote is fetched from.
  if (!isReadWhereWritten(live)) return undefined
  const tip = tips.get(live.ref)
  if (tip === undefined) return { tip, register: EMPTY_REGISTER }
  if (!live.side.hasLoose(tip)) return undefined
  try {
    return await readLive(live, tip)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return undefined
  }
}

async function fetchNow(live: LiveRemote): Promise<LiveVersion> {
  const { access, ref, side } = live
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules']
  // As loose objects, which are read without starting git.
  const loose = ['-c', 'fetch.unpackLimit=100']
  const args = [...loose, 'fetch', ...options, '--', access.name, `+${ref}:${TIP}`]
  const result = await reach(live, args)
  if (result.exitCode !== 0) {
    // A ref that is not there is no error of the remote.
    if (!/couldn't find remote ref/i.test(result.stderr)) throw unreachable(live, result)
    return { tip: undefined, register: EMPTY_REGISTER }
  }
  return await readLive(live, side.tip(TIP))
}

/**
 * Replaces the register if it is still the one that was read: the remote decides, and only one of several clones wins.
 * One round trip. False if another clone was first. A root commit, so that no history grows.
 */
export async function pushLive(
  live: LiveRemote,
  { tip }: LiveVersion,
  next: Register,
): Promise<boolean> {
  const { access, ref } = live
  const commit = writeLive(live, next)
  const lease = `--force-with-lease=${ref}:${tip ?? ''}`
  const options = ['--quiet', '--porcelain', '--no-verify', '--no-signed', lease]
  const args = ['push', ...options, '--', access.name, `${commit}:${ref}`]
  const result = await reach(live, args)
  if (result.exitCode === 0) return true
  if (isRace(result)) return false
  throw refusedBy(live, result, PROTECTED) ?? unreachable(live, result)
}

/** One round trip that ends in time, also if the remote never answers. */
async function reach(live: LiveRemote, args: readonly string[]): Promise<GitResult> {
  const { name, side, signal, variables: extraVariables } = live
  const time = AbortSignal.timeout(LONGEST_CALL_MS)
  const options = { signal: AbortSignal.any([signal, time]), extraVariables }
  try {
    return await side.reach(args, toCall(live), options)
  } catch (error) {
    if (!time.aborted || signal.aborted || error instanceof Failure) throw error
    throw new Failure('timeout', `${name} did not answer within ${LONGEST_CALL_MS / 1000} s`, {
      details: { reason: UNREACHABLE, remote: name },
    })
  }
}

const PROTECTED =
  'claims are granted through this ref. On GitHub, GitLab and Gitea let those who claim push to it: exempt refs/waymark/* ' +
  'from rulesets, push rules and protected-branch patterns; or choose refs that are accepted with ' +
  'git config --global waymark.sync.namespace refs/heads/waymark; or set coordination to local'

async function readLive(live: LiveRemote, tip: string | undefined): Promise<LiveVersion> {
  const { repository, side } = live
  try {
    const commit = tip === undefined ? undefined : await side.readUpTo(LARGEST_OBJECT, tip)
    if (commit === undefined || commit === 'too_large' || commit.type !== 'commit') {
      throw new BadRegister('it is no small commit')
    }
    const idBytes = objectFormat(repository) === 'sha1' ? 20 : 32
    const treeId = /^tree ([0-9a-f]+)\n/.exec(commit.content.toString('latin1'))?.[1] ?? ''
    const tree = await side.readUpTo(LARGEST_OBJECT, treeId)
    const entries =
      tree === undefined || tree === 'too_large' || tree.type !== 'tree'
        ? undefined
        : parseTree(tree.content, idBytes)
    if (entries === undefined) throw new BadRegister('its tree cannot be read')
    const read = async (name: string): Promise<Buffer> => {
      const id = entries.get(name)?.id
      if (id === undefined) return Buffer.alloc(0)
      const blob = await side.readUpTo(LARGEST_FILE, id)
      if (blob === undefined || blob === 'too_large' || blob.type !== 'blob') {
        throw new BadRegister(`its file \`${name}\` is missing or too large`)
      }
      return blob.content
    }
    const files: [string, Buffer][] = []
    for (const name of REGISTER_FILES) files.push([name, await read(name)])
    return {
      tip: commit.id,
      register: parseRegister(Object.fromEntries(files) as unknown as RegisterFiles),
    }
  } catch (error) {
    if (!(error instanceof BadRegister) && !isCorruption(error)) throw error
    throw unreadable(live, error.message)
  }
}

/** Answers the commit. */
function writeLive({ repository, side }: LiveRemote, register: Register): string {
  const format = objectFormat(repository)
  const blobs = Object.entries(toFiles(register)).map(
    ([name, content]) => [name, toObject(format, 'blob', content as Buffer)] as const,
  )
  const entries = blobs
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, { id }]) => [Buffer.from(`100644 ${name}\0`), Buffer.from(id, 'hex')])
  const tree = toObject(format, 'tree', Buffer.concat(entries))
  const text = { tree: tree.id, parents: [], who: WHO, at: 0, message: 'waymark live' }
  const commit = toObject(format, 'commit', toCommitText(text))
  side.write([...blobs.map(([, blob]) => blob), tree, commit])
  return commit.id
}

/** Reads from where it writes: the register of a remote that is fetched from elsewhere would be another one. */
function toCall(live: LiveRemote): RemoteCall {
  const { access } = live
  const { isTrusted, settings } = addressOf(live)
  if (isTrusted) return { isTrusted, settings }
  const key = `remote.${access.name}`
  const address = settings.find((setting) => setting.key === `${key}.pushurl`)?.value
  const others = settings.filter((setting) => setting.key !== `${key}.pushurl`)
  return {
    isTrusted,
    settings: [
      ...(address === undefined ? [] : [{ key: `${key}.url`, value: address }]),
      ...others,
    ],
  }
}

function isReadWhereWritten(live: LiveRemote): boolean {
  const { access } = live
  const { isTrusted, settings } = addressOf(live)
  const addressIn = (call: RemoteCall, field: string): readonly string[] =>
    call.settings
      .filter(({ key }) => key === `remote.${access.name}.${field}`)
      .map(({ value }) => value)
  const [address, ...others] = addressIn({ isTrusted, settings }, 'pushurl')
  const [fetched] = addressIn(access.fetch(), 'url')
  return address !== undefined && others.length === 0 && fetched === address
}

/** A remote in a folder that is not there is one that cannot be reached. */
function addressOf({ name, access }: LiveRemote): RemoteCall {
  try {
    return access.push()
  } catch (error) {
    if (!(error instanceof Failure) || error.details.reason !== 'git') throw error
    throw new Failure('storage_unavailable', `${name} cannot be reached: ${error.message}`, {
      details: { reason: UNREACHABLE, remote: name },
    })
  }
}

/** Reason of failures that a later attempt may not have. */
const UNREACHABLE = 'remote_unreachable'

function unreachable({ name, access }: LiveRemote, result: GitResult): Failure {
  const { message } = toGitFailure(result, access.hint)
  return new Failure('storage_unavailable', `${name} cannot be reached: ${message}`, {
    details: { reason: UNREACHABLE, remote: name },
  })
}

/** The way out of a register that no clone can use. */
export function unreadable({ name, ref }: LiveRemote, problem: string): Failure {
  return new Failure(
    'conflict',
    `${ref} at ${name} cannot be used: ${problem}; if it is not in use, remove it with git push ${name} :${ref}`,
    { details: { reason: 'live_unreadable', remote: name } },
  )
}
