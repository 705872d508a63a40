import { joinNoteBodies } from '../../domain/code/note-body.ts'
import { LARGEST_NOTE } from '../../domain/code/note-limits.ts'
import type { ObjectWriter } from '../objects/object-writer.ts'
import type { Repository } from '../repository.ts'
import type { NoteChange } from './move-notes.ts'
import { readBlobs, unreadableNote } from './read-notes.ts'

/** A version of a note that exceeds a bound: it stays in Git, is not read, and is joined with nothing. */
export interface SetAside {
  readonly ref: string
  readonly commit: string
  /** Its blob. */
  readonly hash: string
  readonly problem: string
}

interface Versions {
  readonly commit: string
  /** The blobs of each; mostly one, none when there is no such note. */
  readonly ours: readonly string[]
  readonly theirs: readonly string[]
  /** Theirs takes the place of ours as it is. */
  readonly isTheirs: boolean
}

/** Joins two versions of a note, and remembers which could not be joined. */
export class NoteJoiner {
  readonly #repository: Repository
  readonly #ref: string
  readonly #writer: ObjectWriter
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
    if (ours.length === 0 || isTheirs) {
      const size = theirs.length === 1 ? await this.#sizeOf(blob, commit) : undefined
      // What nobody can read takes the place of nothing.
      if (size !== undefined && (size <= LARGEST_NOTE || ours.length === 0)) return { commit, blob }
    }
    const [mine, other] = [await this.#read(commit, ours), await this.#read(commit, theirs)]
    if (other === undefined) return this.#keep(versions, `larger than ${LARGEST_NOTE} bytes`, mine)
    if (mine === undefined) return { commit, body: other, aside: ours }
    const joined = joinNoteBodies(mine, other)
    if (joined === undefined) return this.#keep(versions, 'too much to be joined with ours', mine)
    if (joined === mine && ours.length === 1) return undefined
    return { commit, blob: this.#writer.add('blob', joined) }
  }

  /** Ours stays, and theirs goes where it is reachable and not read. */
  #keep({ commit, ours, theirs }: Versions, problem: string, mine = ''): NoteChange {
    const [hash = ''] = theirs
    this.#setAside.set(hash, { ref: this.#ref, commit, hash, problem })
    const [kept = hash, ...twins] = ours
    // A note of ours that stands in two places becomes one, unless that cannot be read either.
    if (twins.length > 0 && mine !== '') return { commit, body: mine, aside: theirs }
    return { commit, blob: kept, aside: [...twins, ...theirs] }
  }

  /** Undefined if it is too large to be read. */
  async #read(commit: string, blobs: readonly string[]): Promise<string | undefined> {
    if (blobs.length === 0) return ''
    const note = await readBlobs(this.#repository, blobs.join(' '))
    if (note === 'missing') throw unreadableNote(commit)
    return note === 'too_large' ? undefined : note.body
  }

  async #sizeOf(blob: string, commit: string): Promise<number> {
    const info = await this.#repository.objects.info(blob)
    if (info === undefined) throw unreadableNote(commit)
    return info.size
  }
}
