import type { ObjectReader } from '../object-reader.ts'
import { Recent } from '../recent.ts'
import type { CommitId } from './commit-id.ts'

/** A text and its id as a Git blob. */
export interface FileVersion {
  readonly text: string
  readonly blob: string
}

const LARGEST_FILE = 8 * 1024 * 1024
const MOST_CHARACTERS = 16 * 1024 * 1024
const REMEMBERED_NAMES = 20_000
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** Texts of files in commits. Tracing asks for the same few versions again and again, so the latest are kept. */
export class FileVersions {
  readonly #objects: ObjectReader
  readonly #blobs = new Recent<string, string>(REMEMBERED_NAMES)
  readonly #texts = new Map<string, FileVersion>()
  readonly #underWay = new Map<string, Promise<FileVersion | undefined>>()
  #characters = 0

  constructor(objects: ObjectReader) {
    this.#objects = objects
  }

  /** The text of a file in a commit, or undefined if the commit has no such file. */
  async at(commit: CommitId, path: string): Promise<FileVersion | undefined> {
    const name = `${commit}:${path}`
    // A ref may move, and a commit that is missing may be fetched; a commit that is there never changes.
    const known = this.#recall(this.#blobs.get(name) ?? '')
    if (known !== undefined) return known
    const reading = this.#underWay.get(name) ?? this.#read(name, COMMIT.test(commit))
    this.#underWay.set(name, reading)
    try {
      return await reading
    } finally {
      this.#underWay.delete(name)
    }
  }

  async #read(name: string, isFixed: boolean): Promise<FileVersion | undefined> {
    const info = await this.#objects.info(name)
    if (info === undefined || info.type !== 'blob' || info.size > LARGEST_FILE) return undefined
    if (isFixed) this.#blobs.set(name, info.id)
    const known = this.#recall(info.id)
    if (known !== undefined) return known
    const object = await this.#objects.read(info.id)
    if (object === undefined) return undefined
    const version = { text: decode(object.content), blob: info.id }
    this.#keep(version)
    return version
  }

  #recall(blob: string): FileVersion | undefined {
    const version = this.#texts.get(blob)
    if (version === undefined) return undefined
    this.#texts.delete(blob)
    this.#texts.set(blob, version)
    return version
  }

  #keep(version: FileVersion): void {
    if (this.#texts.has(version.blob)) return
    this.#texts.set(version.blob, version)
    this.#characters += version.text.length
    for (const [blob, { text }] of this.#texts) {
      if (this.#characters <= MOST_CHARACTERS) return
      this.#texts.delete(blob)
      this.#characters -= text.length
    }
  }
}

/** Binary content counts as empty: it has no lines to compare. */
export function decode(content: Buffer): string {
  return content.subarray(0, 8_000).includes(0) ? '' : content.toString('utf8')
}
