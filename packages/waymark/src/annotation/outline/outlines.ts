import type { Unit } from '../anchor.ts'
import type { Layout } from '../code-text.ts'
import type { DiskCache } from '../../git/disk-cache.ts'
import { Recent } from '../../git/recent.ts'
import { languageOf } from './languages.ts'

/** Raised when the same text gets other units: what was cached before no longer counts. */
const VERSION = 1

const REMEMBERED = 300
/** Files that no person wrote; parsing them takes seconds and nobody anchors anything there. */
const LARGEST_TEXT = 2_000_000

export interface Outline {
  readonly units: readonly Unit[]
  readonly layout: Layout
  /** False for a language that has no outline: then there are only lines. */
  readonly supported: boolean
}

const LINES_ONLY: Outline = { units: [], layout: 'indented', supported: false }

export interface SourceText {
  readonly path: string
  /** The id of the text as a Git blob: an outline depends on nothing but the text and its language. */
  readonly blob: string
  readonly text: string
}

/** Outlines of files, kept by the text they are of. */
export class Outlines {
  readonly #cache: DiskCache
  readonly #recent = new Recent<string, Promise<Outline>>(REMEMBERED)
  #load: Promise<Outliner> | undefined

  constructor(cache: DiskCache) {
    this.#cache = cache
  }

  of(source: SourceText): Promise<Outline> {
    const language = languageOf(source.path, source.text)
    if (language === undefined || source.text.length > LARGEST_TEXT)
      return Promise.resolve(LINES_ONLY)
    const key = `outline ${VERSION} ${language.grammar} ${source.blob}`
    const known = this.#recent.get(key)
    if (known !== undefined) return known
    const made = this.#make(key, source)
    this.#recent.set(key, made)
    return made
  }

  async #make(key: string, { path, text }: SourceText): Promise<Outline> {
    const cached = this.#cache.get<Outline>(key)
    if (cached !== undefined) return cached
    // The parser is a megabyte of code; whoever finds the outline in the cache does without.
    this.#load ??= import('./parse-outline.ts').then(({ createOutliner }) => createOutliner())
    const outline = await (await this.#load)(path, text)
    this.#cache.put(key, outline)
    return outline
  }
}

export type Outliner = (path: string, text: string) => Promise<Outline>
