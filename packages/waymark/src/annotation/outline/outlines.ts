import { isUnit, type Unit } from '../anchor.ts'
import type { Layout } from '../code-text.ts'
import type { Outcome, WorkerFailure } from '../../support/worker/worker-pool.ts'
import { type CodeAnswer, CODE_WORKERS } from './code-workers.ts'
import type { DiskCache } from '../../git/disk-cache.ts'
import { isCount, isFields, isListOf } from '../../support/json-shape.ts'
import { Recent } from '../../git/recent.ts'
import { languageOf } from './languages.ts'
import { LARGEST_MEMORY, LARGEST_TEXT, LONGEST_PARSE_MS, MOST_UNITS } from './limits.ts'

/** Raised when the same text gets other units: what was cached before no longer counts. */
const VERSION = 3

const REMEMBERED = 300

/** A file that could not be parsed is not tried again for a day. Not for ever: the machine may have been too busy. */
const RETRY_MS = 24 * 60 * 60 * 1000

export type Outline =
  | { readonly supported: true; readonly units: readonly Unit[]; readonly layout: Layout }
  | NoOutline

/** There are only lines. */
interface NoOutline {
  readonly supported: false
  readonly units: readonly []
  readonly layout: Layout
  /** Why there is no outline, as the second half of a sentence. */
  readonly reason: string
  /** The language has outlines, but this text gets none. */
  readonly failed?: true
}

export interface SourceText {
  readonly path: string
  /** The id of the text as a Git blob: an outline depends on nothing but the text and its language. */
  readonly blob: string
  readonly text: string
}

/** Outlines of files, cached by the blob they are made of. */
export class Outlines implements AsyncDisposable {
  readonly #cache: DiskCache
  readonly #recent = new Recent<string, Promise<Outline>>(REMEMBERED)

  constructor(cache: DiskCache) {
    this.#cache = cache
  }

  of(source: SourceText): Promise<Outline> {
    const isTooLarge = source.text.length > LARGEST_TEXT
    const language = languageOf(source.path, isTooLarge ? '' : source.text)
    if (language === undefined) return Promise.resolve(UNSUPPORTED)
    if (isTooLarge) return Promise.resolve(TOO_LARGE)
    const key = `outline ${VERSION} ${language.grammar} ${source.blob}`
    const known = this.#recent.get(key)
    if (known !== undefined) return known
    const made = this.#make(key, source, language.layout)
    this.#recent.set(key, made)
    return made
  }

  /** Starts a thread with the parser of a file that will be asked for: that takes as long as parsing it. */
  prepare(path: string): void {
    if (languageOf(path, '') === undefined) return
    void CODE_WORKERS.run(this, { task: 'outline', path, text: '' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await CODE_WORKERS.release(this)
  }

  async #make(key: string, { path, text }: SourceText, layout: Layout): Promise<Outline> {
    const cached = this.#cache.get(key, isCached)
    const isDue = cached !== undefined && 'failure' in cached && Date.now() >= cached.retryAt
    if (cached !== undefined && !isDue) return toOutline(cached, layout)
    const parsed = toParsed(await CODE_WORKERS.run(this, { task: 'outline', path, text }))
    if (!('failure' in parsed)) this.#cache.put(key, parsed)
    else if (parsed.failure === 'unavailable') this.#recent.delete(key)
    else this.#cache.put(key, { ...parsed, retryAt: Date.now() + RETRY_MS })
    return toOutline(parsed, layout)
  }
}

type Parsed = { readonly units: readonly Unit[] } | { readonly failure: keyof typeof REASONS }

type Cached =
  | { readonly units: readonly Unit[] }
  | { readonly failure: keyof typeof REASONS; readonly retryAt: number }

function isCached(value: unknown): value is Cached {
  if (!isFields(value)) return false
  const { units, failure, retryAt } = value
  if (failure === undefined) return isListOf(units, isUnit)
  return typeof failure === 'string' && Object.hasOwn(REASONS, failure) && isCount(retryAt)
}

const UNSUPPORTED: NoOutline = {
  supported: false,
  units: [],
  layout: 'indented',
  reason: 'its language is not supported',
}
/** For an answer that does not wait for the parser. */
export const STILL_PARSED = failed('indented', 'it is still being parsed')
const TOO_LARGE = failed('indented', `it is longer than ${LARGEST_TEXT} characters`)

const REASONS: Readonly<Record<WorkerFailure | 'too_many', string>> = {
  timeout: `parsing it takes more than ${LONGEST_PARSE_MS / 1000} seconds`,
  memory: `parsing it takes more than ${LARGEST_MEMORY / 1024 / 1024} MB of memory`,
  crash: 'the parser fails on it',
  unavailable: 'the parser cannot be started',
  too_many: `it declares more than ${MOST_UNITS} names`,
}

function toParsed(outcome: Outcome<CodeAnswer>): Parsed {
  if ('failure' in outcome) return outcome
  const units = JSON.parse(outcome.answer) as readonly Unit[] | null
  return units === null ? { failure: 'too_many' } : { units }
}

function toOutline(parsed: Parsed, layout: Layout): Outline {
  if ('failure' in parsed) return failed(layout, REASONS[parsed.failure])
  return { supported: true, units: parsed.units, layout }
}

function failed(layout: Layout, reason: string): NoOutline {
  return { supported: false, units: [], layout, reason, failed: true }
}
