import { Recent } from '../recent.ts'
import type { GitCalls } from '../repository.ts'
import type { CommitId } from './commit-id.ts'

const REMEMBERED_HEADS = 4
const REMEMBERED_COMMITS = 5_000

/** Which files a commit has, and what became of those that earlier ones had. */
export class TreePaths {
  readonly #git: GitCalls
  readonly #files = new Recent<string, Promise<ReadonlySet<string>>>(REMEMBERED_HEADS)
  readonly #changed = new Recent<string, readonly string[]>(REMEMBERED_COMMITS)
  readonly #renames = new Recent<string, Promise<ReadonlyMap<string, string>>>(REMEMBERED_HEADS)

  constructor(git: GitCalls) {
    this.#git = git
  }

  files(head: CommitId): Promise<ReadonlySet<string>> {
    const known = this.#files.get(head)
    if (known !== undefined) return known
    const listed = this.#git
      .ask(['ls-tree', '-r', '-z', '--name-only', head])
      .then((output) => new Set(output.split('\0').filter((path) => path !== '')))
    this.#files.set(head, listed)
    return listed
  }

  /** The files that each of these commits changed, added or deleted; one git process for all that are not known yet. */
  async changedBy(commits: readonly CommitId[]): Promise<ReadonlyMap<CommitId, readonly string[]>> {
    const unknown = commits.filter((commit) => this.#changed.get(commit) === undefined)
    if (unknown.length > 0) {
      const args = ['diff-tree', '--stdin', '--root', '--no-renames', '--name-only', '-r', '-z']
      const listed = await this.#git.ask(args, { input: `${unknown.join('\n')}\n` })
      for (const [commit, paths] of parseChanged(listed, new Set(unknown))) {
        this.#changed.set(commit, paths)
      }
    }
    return new Map(commits.map((commit) => [commit, this.#changed.get(commit) ?? []]))
  }

  /** The present name of each file that was renamed after `since`, in milliseconds since 1970, and is still there. */
  renames(head: CommitId, since: number): Promise<ReadonlyMap<string, string>> {
    const key = `${head} ${since}`
    const known = this.#renames.get(key)
    if (known !== undefined) return known
    const found = this.#findRenames(head, since)
    this.#renames.set(key, found)
    return found
  }

  async #findRenames(head: CommitId, since: number): Promise<ReadonlyMap<string, string>> {
    const format = [
      '--format=',
      '--name-status',
      '-z',
      '-M',
      '--diff-filter=R',
      '--no-ext-diff',
      '--no-textconv',
    ]
    const after = `--since=${new Date(since - 1000).toISOString()}`
    const [files, listed] = await Promise.all([
      this.files(head),
      this.#git.ask(['log', ...format, after, head]),
    ])
    const fields = listed.split('\0').map((field) => field.replace(/^\n+/, ''))
    const current = new Map<string, string>()
    // Newest first: by the time an older renaming comes up, it is known what became of its new name.
    for (let at = 0; at + 2 < fields.length; at += 3) {
      const [from = '', to = ''] = [fields[at + 1], fields[at + 2]]
      const today = files.has(to) ? to : current.get(to)
      if (today !== undefined && !current.has(from)) current.set(from, today)
    }
    return current
  }
}

/** The id of a commit, then its files; no file is called like one of these commits. */
function parseChanged(
  listed: string,
  commits: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const changed = new Map<string, string[]>()
  let files: string[] = []
  for (const field of listed.split('\0')) {
    if (commits.has(field)) {
      files = []
      changed.set(field, files)
    } else if (field !== '') files.push(field)
  }
  return changed
}
