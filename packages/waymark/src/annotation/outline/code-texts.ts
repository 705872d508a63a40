import { hashCode, type Layout } from '../code-text.ts'
import { countLines, sliceLines } from './lines.ts'
import type { LineRange } from '../record.ts'
import { CODE_WORKERS, type CodeRequest, type WantedLines } from './code-workers.ts'
import { type Block, compareLines, findLines } from './compare-lines.ts'
import { createLineMap, type LineMap } from '../rewrite/line-map.ts'
import { Recent } from '../../git/recent.ts'

/** Hashing this many characters takes 20 ms at most. */
const HASHED_HERE = 64 * 1024
/** As many are split into lines in that time. */
const COMPARED_HERE = 256 * 1024
const REMEMBERED = 100

/** A text and its id as a Git blob. */
interface BlobText {
  readonly text: string
  readonly blob: string
}

/** Answers about the texts of files. Long texts are looked at in a worker thread. */
export class CodeTexts implements AsyncDisposable {
  readonly #hashes = new Recent<string, string>(REMEMBERED)

  /** The hash of a text, or of some of its lines; undefined if it takes too long. */
  async hash(
    { text, blob }: BlobText,
    layout: Layout,
    lines?: LineRange,
  ): Promise<string | undefined> {
    const piece = lines === undefined ? text : sliceLines(text, lines)
    if (piece.length <= HASHED_HERE) return hashCode(piece, layout)
    const key = `${blob} ${layout} ${lines?.start}:${lines?.end}`
    const hash = this.#hashes.get(key) ?? (await this.#ask({ task: 'hash', text: piece, layout }))
    if (typeof hash !== 'string') return undefined
    this.#hashes.set(key, hash)
    return hash
  }

  /** The first of the lines that are wanted; undefined if they are not there, or if it takes too long. */
  async find(text: string, wanted: WantedLines): Promise<number | undefined> {
    return text.length * wanted.count <= HASHED_HERE
      ? findLines(text, wanted)
      : await this.#ask<number>({ task: 'find', text, ...wanted })
  }

  /** Which lines two versions of a text have in common. */
  async compare(older: string, newer: string): Promise<LineMap> {
    if (older === newer) return createLineMap([{ older: 1, newer: 1, count: countLines(older) }])
    const isShort = older.length + newer.length <= COMPARED_HERE
    const blocks =
      (isShort ? await compareLines(older, newer, 'short') : undefined) ??
      (await this.#ask<readonly Block[]>({ task: 'compare', older, newer })) ??
      []
    return createLineMap(blocks)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await CODE_WORKERS.release(this)
  }

  async #ask<Answer>(request: CodeRequest): Promise<Answer | undefined> {
    const outcome = await CODE_WORKERS.run(this, request)
    if ('failure' in outcome) return undefined
    return (JSON.parse(outcome.answer) as Answer | null) ?? undefined
  }
}
