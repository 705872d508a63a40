import { joinNoteBodies } from '../notes/note-body.ts'
import type { SetAside } from '../notes/note-limits.ts'
import type { ObjectWriter } from '../../git/objects/object-writer.ts'
import type { Repository } from '../../git/repository.ts'
import type { NoteChange } from '../notes/move-notes.ts'
import { type NoteText, readBlobs, unreadableNote } from '../notes/read-notes.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

type ReadNote = Exclude<NoteText, 'missing'>

interface Versions {
  readonly commit: CommitId
  /** The blobs of each; mostly one, none when there is no such note. */
  readonly ours: readonly string[]
  readonly theirs: readonly string[]
}

/** Joins two versions of a note, and remembers which could not be joined. */
export class NoteJoiner {
  readonly #repository: Repository
  readonly #ref: string
  readonly #writer: ObjectWriter
  /** By commit. */
  readonly #setAside = new Map<string, SetAside>()

  constructor(repository: Repository, ref: string, writer: ObjectWriter) {
    this.#repository = repository
    this.#ref = ref
    this.#writer = writer
  }

  get setAside(): readonly SetAside[] {
    return [...this.#setAside.values()]
  }

  async flush(): Promise<void> {
    await this.#writer.flush()
  }

  /** Undefined when ours stays as it is. */
  async join(versions: Versions): Promise<NoteChange | undefined> {
    const { commit, ours, theirs } = versions
    const [blob = ''] = theirs
    if (ours.length === 0 && theirs.length === 1) {
      await this.#assertHere(blob, commit)
      return { commit, blob }
    }
    const [mine, other] = [await this.#read(commit, ours), await this.#read(commit, theirs)]
    if ('problem' in other) return this.#keep(versions, other.problem, mine)
    if ('problem' in mine) return { commit, body: other.body, aside: ours }
    const joined = joinNoteBodies(mine.body, other.body)
    if (joined === undefined) return this.#keep(versions, 'too much to be joined with ours', mine)
    if (joined === mine.body && ours.length === 1) return undefined
    if (joined === other.body && theirs.length === 1) return { commit, blob }
    return { commit, blob: this.#writer.add('blob', joined) }
  }

  /** Ours stays, and theirs goes where it is reachable and not read. */
  #keep({ commit, ours, theirs }: Versions, problem: string, mine: ReadNote): NoteChange {
    const [hash = ''] = theirs
    this.#setAside.set(commit, { ref: this.#ref, commit, hash, problem })
    const [kept = hash, ...twins] = ours
    // A local note in two places of the tree becomes one, unless it exceeds a limit.
    if (twins.length > 0 && 'body' in mine) return { commit, body: mine.body, aside: theirs }
    return { commit, blob: kept, aside: [...twins, ...theirs] }
  }

  async #read(commit: CommitId, blobs: readonly string[]): Promise<ReadNote> {
    if (blobs.length === 0) return { body: '' }
    const note = await readBlobs(this.#repository, blobs.join(' '))
    if (note === 'missing') throw unreadableNote(commit)
    return note
  }

  /** Whether theirs, as it is, has everything that is read of ours. */
  async hasOurs({ commit, ours, theirs }: Versions): Promise<boolean> {
    const [mine, other] = [await this.#read(commit, ours), await this.#read(commit, theirs)]
    if ('problem' in other) return false
    if ('problem' in mine) return true
    return joinNoteBodies(mine.body, other.body) === joinNoteBodies('', other.body)
  }

  async #assertHere(blob: string, commit: CommitId): Promise<void> {
    if ((await this.#repository.objects.info(blob)) === undefined) throw unreadableNote(commit)
  }
}
