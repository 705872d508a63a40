import { joinNoteBodies } from '../notes/note-body.ts'
import { LARGEST_NOTE, MOST_DOCUMENTS, type SetAside } from '../notes/note-limits.ts'
import type { ObjectWriter } from '../../git/objects/object-writer.ts'
import type { Repository } from '../../git/repository.ts'
import type { NoteChange } from '../notes/move-notes.ts'
import { type NoteText, readBlobs, unreadableNote } from '../notes/read-notes.ts'

type ReadNote = Exclude<NoteText, 'missing'>

interface Versions {
  readonly commit: string
  /** The blobs of each; mostly one, none when there is no such note. */
  readonly ours: readonly string[]
  readonly theirs: readonly string[]
  /** Theirs takes the place of ours as it is. */
  readonly isTheirs: boolean
}

/** The shortest record has two characters, so here there are not too many. */
const SURELY_READ = 2 * MOST_DOCUMENTS

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
    const { commit, ours, theirs, isTheirs } = versions
    const [blob = ''] = theirs
    if ((ours.length === 0 || isTheirs) && theirs.length === 1) {
      await this.#assertHere(blob, commit)
      // What cannot be read takes the place of nothing.
      if (ours.length === 0 || !(await this.isUnread(blob))) return { commit, blob }
    }
    const [mine, other] = [await this.#read(commit, ours), await this.#read(commit, theirs)]
    if ('problem' in other) return this.#keep(versions, other.problem, mine)
    if ('problem' in mine) return { commit, body: other.body, aside: ours }
    const joined = joinNoteBodies(mine.body, other.body)
    if (joined === undefined) return this.#keep(versions, 'too much to be joined with ours', mine)
    if (joined === mine.body && ours.length === 1) return undefined
    return { commit, blob: this.#writer.add('blob', joined) }
  }

  /** Ours stays, and theirs goes where it is reachable and not read. */
  #keep({ commit, ours, theirs }: Versions, problem: string, mine: ReadNote): NoteChange {
    const [hash = ''] = theirs
    this.#setAside.set(commit, { ref: this.#ref, commit, hash, problem })
    const [kept = hash, ...twins] = ours
    // A note of ours that stands in two places becomes one, unless that cannot be read either.
    if (twins.length > 0 && 'body' in mine) return { commit, body: mine.body, aside: theirs }
    return { commit, blob: kept, aside: [...twins, ...theirs] }
  }

  async #read(commit: string, blobs: readonly string[]): Promise<ReadNote> {
    if (blobs.length === 0) return { body: '' }
    const note = await readBlobs(this.#repository, blobs.join(' '))
    if (note === 'missing') throw unreadableNote(commit)
    return note
  }

  /** Whether a note is not read because it exceeds a bound. Most are too small for that, and are not looked into. */
  async isUnread(blob: string): Promise<boolean> {
    const size = (await this.#repository.objects.info(blob))?.size ?? 0
    if (size <= SURELY_READ || size > LARGEST_NOTE) return size > LARGEST_NOTE
    const note = await readBlobs(this.#repository, blob)
    return note !== 'missing' && 'problem' in note
  }

  async #assertHere(blob: string, commit: string): Promise<void> {
    if ((await this.#repository.objects.info(blob)) === undefined) throw unreadableNote(commit)
  }
}
