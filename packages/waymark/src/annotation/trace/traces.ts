import type { Unit } from '../anchor.ts'
import { ANCHOR_FITS } from '../confidence.ts'
import { CHANGED_PARTS, type Evidence, FRESHNESS_STATES, type Verdict } from '../freshness.ts'
import { isLineRange } from '../record.ts'
import type { DiskCache } from '../../git/disk-cache.ts'
import { isObjectId } from '../../git/objects/object-id.ts'
import { Recent } from '../../git/recent.ts'
import { isCount, isFields, isListOf, isOneOf, isOptional } from '../../support/json-shape.ts'

/** Increment when the same file and region get another verdict. */
const VERSION = 4
const REMEMBERED = 200

/** A verdict without the unit itself, which the outline of the same text has at that position. */
type StoredVerdict = Omit<Verdict, 'unit'> & { readonly unit?: number }

/** Null: the region has not come to this file. */
type Stored = Readonly<Record<string, StoredVerdict | null>>

const isState = isOneOf(FRESHNESS_STATES)
const isChangedPart = isOneOf(CHANGED_PARTS)
const isFit = isOneOf(ANCHOR_FITS)

function isStored(value: unknown): value is Stored {
  if (!isFields(value)) return false
  return Object.values(value).every((each) => each === null || isStoredVerdict(each))
}

function isStoredVerdict(value: unknown): value is StoredVerdict {
  return (
    isFields(value) &&
    isState(value['state']) &&
    isListOf(value['changed'], isChangedPart) &&
    isFit(value['fit']) &&
    isOptional(value['lines'], isLineRange) &&
    isOptional(value['evidence'], isEvidence) &&
    isOptional(value['unit'], isCount)
  )
}

function isEvidence(value: unknown): value is Evidence {
  if (!isFields(value)) return false
  const { kept, of, blamed, by } = value
  return (
    [kept, of, blamed].every((count) => isOptional(count, isCount)) && isOptional(by, isObjectId)
  )
}

/** What the verdicts about a file depend on. */
interface FileVersion {
  readonly path: string
  readonly file: { readonly blob: string }
  readonly outline: { readonly units: readonly Unit[] }
  readonly history: { readonly last: string } | undefined
}

/** Verdicts about regions, cached by the version of the file that they are about. */
export class Traces {
  readonly #cache: DiskCache
  readonly #recent = new Recent<string, FileTraces>(REMEMBERED)

  constructor(cache: DiskCache) {
    this.#cache = cache
  }

  /** Undefined for a file without history, whose verdicts are less exact. */
  of(version: FileVersion): FileTraces | undefined {
    const { path, file, history, outline } = version
    if (history === undefined) return undefined
    const key = `traces ${VERSION} ${history.last} ${file.blob} ${path}`
    const known = this.#recent.get(key)
    if (known !== undefined) return known
    const traces = new FileTraces(key, this.#cache, outline.units)
    this.#recent.set(key, traces)
    return traces
  }
}

export class FileTraces {
  readonly #key: string
  readonly #cache: DiskCache
  readonly #units: readonly Unit[]
  readonly #verdicts: Map<string, StoredVerdict | null>
  #isChanged = false

  constructor(key: string, cache: DiskCache, units: readonly Unit[]) {
    this.#key = key
    this.#cache = cache
    this.#units = units
    this.#verdicts = new Map(Object.entries(cache.get(key, isStored) ?? {}))
  }

  /** Undefined if it is not known; null if the region is not in this file. */
  get(region: string): Verdict | null | undefined {
    const stored = this.#verdicts.get(region)
    if (stored === undefined || stored === null) return stored
    const { unit: at, ...verdict } = stored
    const unit = at === undefined ? undefined : this.#units[at]
    return unit === undefined ? verdict : { ...verdict, unit }
  }

  set(region: string, verdict: Verdict | null): void {
    if (verdict === null) this.#verdicts.set(region, null)
    else {
      const { unit, ...rest } = verdict
      const at = unit === undefined ? -1 : this.#units.indexOf(unit)
      this.#verdicts.set(region, { ...rest, ...(at >= 0 && { unit: at }) })
    }
    this.#isChanged = true
  }

  save(): void {
    if (!this.#isChanged) return
    this.#isChanged = false
    this.#cache.put(this.#key, Object.fromEntries(this.#verdicts))
  }
}
