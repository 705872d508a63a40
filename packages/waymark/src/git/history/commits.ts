import type { ObjectReader } from '../object-reader.ts'
import { Recent } from '../recent.ts'
import { type CommitId, toCommitId } from './commit-id.ts'

export interface Commit {
  readonly id: CommitId
  readonly tree: string
  readonly parents: readonly CommitId[]
  /** When it was committed, in milliseconds since 1970. */
  readonly at: number
  readonly author: string
  readonly message: string
}

const REMEMBERED = 5_000

/** Commits by id. What a commit says never changes, so each is read once. */
export class CommitReader {
  readonly #objects: ObjectReader
  readonly #recent = new Recent<CommitId, Commit>(REMEMBERED)

  constructor(objects: ObjectReader) {
    this.#objects = objects
  }

  /** Undefined if this clone does not have the commit. */
  async get(id: CommitId): Promise<Commit | undefined> {
    const known = this.#recent.get(id)
    if (known !== undefined) return known
    const object = await this.#objects.read(id)
    if (object?.type !== 'commit') return undefined
    const commit = parseCommit(toCommitId(object.id), object.content.toString('utf8'))
    this.#recent.set(id, commit)
    return commit
  }

  async getAll(ids: readonly CommitId[]): Promise<readonly Commit[]> {
    const found = await Promise.all(ids.map((id) => this.get(id)))
    return found.filter((commit) => commit !== undefined)
  }
}

/** The commit that a name (an id, a ref, HEAD) stands for. */
export async function commitNamed(
  objects: Pick<ObjectReader, 'info'>,
  name: string,
): Promise<CommitId | undefined> {
  const found = await objects.info(`${name}^{commit}`)
  return found && toCommitId(found.id)
}

export function subjectOf({ message }: Pick<Commit, 'message'>): string {
  return message.split('\n', 1)[0] ?? ''
}

function parseCommit(id: CommitId, text: string): Commit {
  const end = text.indexOf('\n\n')
  const headers = (end === -1 ? text : text.slice(0, end)).split('\n').map((line) => {
    const at = line.indexOf(' ')
    return [line.slice(0, at), line.slice(at + 1)] as const
  })
  const valueOf = (name: string) => headers.find(([header]) => header === name)?.[1] ?? ''
  return {
    id,
    tree: valueOf('tree'),
    parents: headers
      .filter(([header]) => header === 'parent')
      .map(([, parent]) => toCommitId(parent)),
    at: Number(/ (\d+) [+-]\d{4}$/.exec(valueOf('committer'))?.[1] ?? 0) * 1000,
    author: valueOf('author').split(' <', 1)[0] ?? '',
    message: end === -1 ? '' : text.slice(end + 2).trimEnd(),
  }
}
