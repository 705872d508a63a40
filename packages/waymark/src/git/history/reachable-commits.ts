import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ObjectReader } from '../object-reader.ts'
import { Recent } from '../recent.ts'
import type { GitCalls } from '../repository.ts'
import type { CommitId } from './commit-id.ts'

/** `here`: reachable from HEAD. `elsewhere`: in this clone, but not reachable from HEAD. `missing`: not in this clone. */
export type Reach = 'here' | 'elsewhere' | 'missing'

const REMEMBERED_HEADS = 8

/** Characters that git allows in no ref name and that have a meaning in revisions. */
const NO_REF = /[\0- \x7f~^:?*[\\]|@\{|\.\./

/** Which commits belong to the history of another one. */
export class ReachableCommits {
  readonly #git: GitCalls
  readonly #objects: ObjectReader
  readonly #recent = new Recent<string, Map<string, Reach>>(REMEMBERED_HEADS)

  constructor(git: GitCalls, objects: ObjectReader) {
    this.#git = git
    this.#objects = objects
  }

  async from(head: CommitId, commits: Iterable<string>): Promise<ReadonlyMap<string, Reach>> {
    const known = this.#recent.get(head) ?? new Map<string, Reach>()
    const unknown = [...new Set(commits)].filter((commit) => known.get(commit) === undefined)
    if (unknown.length > 0) {
      const found = await this.#look(head, unknown)
      // A missing commit may be fetched later; reachability of the others never changes.
      for (const [commit, reach] of found) if (reach !== 'missing') known.set(commit, reach)
      this.#recent.set(head, known)
      return new Map([...known, ...found])
    }
    return known
  }

  /** Caches commits that the caller found to be reachable from `head`. */
  learn(head: CommitId, commits: Iterable<string>): void {
    const known = this.#recent.get(head) ?? new Map<string, Reach>()
    for (const commit of commits) known.set(commit, 'here')
    this.#recent.set(head, known)
  }

  /** Which of these commits are in the history of no branch, tag or remote branch, and of nothing that is checked out. */
  async unreferenced(commits: readonly string[]): Promise<ReadonlySet<string>> {
    if (commits.length === 0) return new Set()
    const heads = (await this.#worktreeHeads()).map((head) => `^${head}`)
    const args = ['rev-list', '--stdin', '--not', '--branches', '--tags', '--remotes']
    const listed = await this.#git.ask(args, { input: [...commits, ...heads, ''].join('\n') })
    const outside = new Set(listed.split('\n'))
    return new Set(commits.filter((commit) => outside.has(commit)))
  }

  /** What each working tree has checked out, also where that is no branch. */
  async #worktreeHeads(): Promise<readonly string[]> {
    const names = worktreeNames(this.#git.layout().commonDir)
    const heads = ['main-worktree', ...names.map((name) => `worktrees/${name}`)]
    const found = await this.#objects.infos(heads.map((head) => `${head}/HEAD^{commit}`))
    return found.flatMap((info) => (info === undefined ? [] : [info.id]))
  }

  async #look(head: CommitId, commits: readonly string[]): Promise<ReadonlyMap<string, Reach>> {
    const infos = await this.#objects.infos(commits)
    const present = commits.filter((_, at) => infos[at]?.type === 'commit')
    const outside = await this.#outside(head, present)
    return new Map(
      commits.map((commit, at): [string, Reach] => {
        if (infos[at]?.type !== 'commit') return [commit, 'missing']
        return [commit, outside.has(commit) ? 'elsewhere' : 'here']
      }),
    )
  }

  /** One walk from all of them at once, which ends where the history of `head` begins. */
  async #outside(head: CommitId, commits: readonly string[]): Promise<ReadonlySet<string>> {
    if (commits.length === 0) return new Set()
    const input = [...commits, `^${head}`, ''].join('\n')
    const listed = await this.#git.ask(['rev-list', '--stdin'], { input })
    return new Set(listed.split('\n'))
  }
}

/** The names of linked worktrees. */
function worktreeNames(commonDir: string): readonly string[] {
  try {
    return readdirSync(join(commonDir, 'worktrees')).filter((name) => !NO_REF.test(name))
  } catch {
    return []
  }
}
