import { createHash } from 'node:crypto'
import { isCount, isFields } from '../support/json-shape.ts'
import { type EntityId, toEntityId } from '../entity/entity-id.ts'
import { type CommitId, toCommitId } from '../git/history/commit-id.ts'

/** The name of the format, written into every record. */
const RECORD_SCHEMA = 'ultragit/v1'

export const CONTEXT_LEVELS = ['enhanced', 'inferred'] as const
export const CONSTRAINT_SOURCES = ['author', 'inferred'] as const
export const CORRECTION_TYPES = ['flag', 'amend', 'remove'] as const

/** What a region tells: why the code is so, or something learned about it that the code does not show. */
export const REGION_KINDS = ['intent', 'gotcha', 'dead_end', 'insight', 'unfinished'] as const

/** Provenance of a record: written for its commit, or copied from a commit that this one replaced. */
export const PROVENANCE_OPERATIONS = [
  'initial',
  'amend',
  'rebase',
  'cherry_pick',
  'squash',
] as const

export type ContextLevel = (typeof CONTEXT_LEVELS)[number]
type RegionKind = (typeof REGION_KINDS)[number]
export type ProvenanceOperation = (typeof PROVENANCE_OPERATIONS)[number]

/** One line or more, counted from 1, both ends included. */
export interface LineRange {
  readonly start: number
  readonly end: number
}

export function isLineRange(value: unknown): value is LineRange {
  return isFields(value) && isCount(value['start']) && isCount(value['end'])
}

interface AstAnchor {
  readonly type: string
  readonly name: string
  readonly signature?: string
}

interface Constraint {
  readonly text: string
  readonly source: (typeof CONSTRAINT_SOURCES)[number]
}

export interface SemanticDependency {
  readonly file: string
  readonly anchor: string
  readonly nature: string
}

export interface RelatedAnnotation {
  /** As the author wrote it, perhaps abbreviated. */
  readonly commit: string
  /** `file:name`. */
  readonly anchor: string
  readonly relationship: string
}

/** A later correction of a region. The original text stays. */
export interface Correction {
  /** Derived from the idempotency key, so that a retry adds no duplicate. */
  readonly id?: string
  /** Absent when it is about the whole region. */
  readonly field?: string
  readonly correction_type: (typeof CORRECTION_TYPES)[number]
  readonly correction_text: string
  readonly target_value?: string
  readonly replacement?: string
  readonly timestamp: string
  readonly author: string
}

export interface Region {
  readonly file: string
  readonly kind: RegionKind
  readonly ast_anchor?: AstAnchor
  /** Lines of the file as it was in the annotated commit. */
  readonly lines?: LineRange
  readonly intent: string
  readonly reasoning?: string
  readonly constraints: readonly Constraint[]
  readonly semantic_dependencies: readonly SemanticDependency[]
  readonly related_annotations: readonly RelatedAnnotation[]
  readonly tags: readonly string[]
  readonly risk_notes?: string
  readonly corrections: readonly Correction[]
  /** Layout-independent hash of the annotated code, to detect changes without the annotated commit. */
  readonly content_hash?: string
  readonly signature_hash?: string
}

/** The name was not in the file when it was annotated: the lines that were given say what is meant. */
export function isByLines({ lines, content_hash, signature_hash }: Region): boolean {
  return lines !== undefined && content_hash !== undefined && signature_hash === undefined
}

export interface CrossCutting {
  readonly description: string
  readonly regions: readonly { readonly file: string; readonly anchor?: string }[]
  readonly nature?: string
  readonly tags: readonly string[]
}

interface Provenance {
  readonly operation: ProvenanceOperation
  readonly derived_from: readonly string[]
  readonly original_annotations_preserved: boolean
  readonly synthesis_notes?: string
}

/** A Waymark entity that a record belongs to. */
export interface EntityLink {
  readonly type: string
  readonly id: EntityId
}

/** One line of a note: everything one agent had to say about one commit, in the names of the format. */
export interface AnnotationRecord {
  readonly id: string
  readonly timestamp: string
  /** The commit it was written for. After a rewrite the note may belong to another one, and that is the one that counts. */
  readonly commit: CommitId
  readonly author?: string
  readonly summary: string
  readonly task?: string
  readonly context_level: ContextLevel
  readonly links: readonly EntityLink[]
  /** Records that this one replaces. */
  readonly supersedes: readonly string[]
  readonly regions: readonly Region[]
  readonly cross_cutting: readonly CrossCutting[]
  readonly provenance: Provenance
}

/** The raw JSON of a record in the note, including unknown fields. */
export type RecordDocument = Readonly<Record<string, unknown>>

/** Parses an untrusted record and drops invalid fields. Undefined for another format. */
export function toRecord(document: RecordDocument): AnnotationRecord | undefined {
  if ((document['$schema'] ?? document['schema']) !== RECORD_SCHEMA) return undefined
  const summary = text(document['summary'])
  const regions = list(document['regions']).flatMap((region) => toRegion(region) ?? [])
  if (summary === undefined && regions.length === 0) return undefined
  return {
    id: text(document['id']) ?? fingerprint(document),
    timestamp: text(document['timestamp']) ?? '',
    commit: toCommitId(text(document['commit']) ?? ''),
    ...optional('author', text(document['author'])),
    summary: summary ?? regions[0]?.intent ?? '',
    ...optional('task', text(document['task'])),
    context_level: oneOf(CONTEXT_LEVELS, document['context_level']) ?? 'inferred',
    links: list(document['links']).flatMap(toLink),
    supersedes: texts(document['supersedes']),
    regions,
    cross_cutting: list(document['cross_cutting']).flatMap(toCrossCutting),
    provenance: toProvenance(fields(document['provenance'])),
  }
}

/** A record as it is written: the time first, so that sorted lines are in the order of time, and nothing empty. */
export function toDocument(record: AnnotationRecord): RecordDocument {
  const { timestamp, id, commit, regions, cross_cutting, provenance, ...rest } = record
  return {
    $schema: RECORD_SCHEMA,
    timestamp,
    id,
    commit,
    ...withoutEmpty(rest),
    regions: regions.map(withoutEmpty),
    ...withoutEmpty({ cross_cutting }),
    provenance,
  }
}

/** Derived id of a record that was written without one: the same in every clone, and stable under corrections. */
function fingerprint(document: RecordDocument): string {
  const regions = list(document['regions']).map((region) => ({
    ...fields(region),
    corrections: undefined,
  }))
  const content = JSON.stringify({ ...document, regions, provenance: undefined })
  return createHash('sha256').update(content).digest('hex').slice(0, 32)
}

export function toRegion(value: unknown): Region | undefined {
  const region = fields(value)
  const file = text(region['file'])?.replace(/^(\.\/)+/, '')
  const intent = text(region['intent'])
  if (file === undefined || file === '' || intent === undefined) return undefined
  return {
    file,
    kind: oneOf(REGION_KINDS, region['kind']) ?? 'intent',
    ...optional('ast_anchor', toAnchor(region['ast_anchor'])),
    ...optional('lines', toLines(region['lines'])),
    intent,
    ...optional('reasoning', text(region['reasoning'])),
    constraints: list(region['constraints']).flatMap(toConstraint),
    semantic_dependencies: list(region['semantic_dependencies']).flatMap(toDependency),
    related_annotations: list(region['related_annotations']).flatMap(toRelated),
    tags: texts(region['tags']),
    ...optional('risk_notes', text(region['risk_notes'])),
    corrections: list(region['corrections']).flatMap(toCorrection),
    ...optional('content_hash', text(region['content_hash'])),
    ...optional('signature_hash', text(region['signature_hash'])),
  }
}

function toAnchor(value: unknown): AstAnchor | undefined {
  const anchor = fields(value)
  const name = text(anchor['name'])
  if (name === undefined || name === '') return undefined
  const type = text(anchor['type']) ?? text(anchor['unit_type']) ?? 'unknown'
  return { type, name, ...optional('signature', text(anchor['signature'])) }
}

function toLines(value: unknown): LineRange | undefined {
  const [start, end] = Array.isArray(value)
    ? (value as unknown[])
    : [fields(value)['start'], fields(value)['end']]
  const isRange = isLine(start) && isLine(end) && start <= end
  return isRange ? { start: Math.floor(start), end: Math.floor(end) } : undefined
}

/** No file has more lines, and an answer with a larger number would be none. */
const LAST_LINE = 2 ** 31 - 1

function isLine(value: unknown): value is number {
  return typeof value === 'number' && value >= 1 && value <= LAST_LINE
}

function toConstraint(value: unknown): Constraint[] {
  const constraint = fields(value)
  const told = text(value) ?? text(constraint['text'])
  if (told === undefined) return []
  return [{ text: told, source: oneOf(CONSTRAINT_SOURCES, constraint['source']) ?? 'author' }]
}

function toDependency(value: unknown): SemanticDependency[] {
  const { file, anchor, nature } = fields(value)
  const path = text(file)
  if (path === undefined) return []
  return [{ file: path, anchor: text(anchor) ?? '', nature: text(nature) ?? '' }]
}

function toRelated(value: unknown): RelatedAnnotation[] {
  const { commit, anchor, relationship } = fields(value)
  const id = text(commit)
  if (id === undefined) return []
  return [{ commit: id, anchor: text(anchor) ?? '', relationship: text(relationship) ?? '' }]
}

function toCorrection(value: unknown): Correction[] {
  const correction = fields(value)
  const type = oneOf(CORRECTION_TYPES, correction['correction_type'])
  if (type === undefined) return []
  return [
    {
      ...optional('id', text(correction['id'])),
      ...optional('field', text(correction['field'])),
      correction_type: type,
      correction_text: text(correction['correction_text']) ?? '',
      ...optional('target_value', text(correction['target_value'])),
      ...optional('replacement', text(correction['replacement'])),
      timestamp: text(correction['timestamp']) ?? '',
      author: text(correction['author']) ?? 'unknown',
    },
  ]
}

function toCrossCutting(value: unknown): CrossCutting[] {
  const entry = fields(value)
  const description = text(entry['description'])
  if (description === undefined) return []
  return [
    {
      description,
      regions: list(entry['regions']).flatMap(toPlace),
      ...optional('nature', text(entry['nature'])),
      tags: texts(entry['tags']),
    },
  ]
}

/** `file:anchor`, or the two as fields. */
function toPlace(value: unknown): { file: string; anchor?: string }[] {
  const place = text(value)
  if (place !== undefined) {
    const [file, anchor] = splitPlace(place)
    return [{ file, ...optional('anchor', anchor) }]
  }
  const file = text(fields(value)['file'])
  return file === undefined ? [] : [{ file, ...optional('anchor', text(fields(value)['anchor'])) }]
}

/** Takes `src/a.rs:Client::connect` apart at the first colon that is not one of a pair. */
export function splitPlace(place: string): readonly [file: string, anchor: string | undefined] {
  const at = place.search(/(?<!:):(?!:)/)
  return at === -1 ? [place, undefined] : [place.slice(0, at), place.slice(at + 1)]
}

function toLink(value: unknown): EntityLink[] {
  const { type, id } = fields(value)
  const [kind, entity] = [text(type), text(id)]
  return kind === undefined || entity === undefined ? [] : [{ type: kind, id: toEntityId(entity) }]
}

function toProvenance(provenance: RecordDocument): Provenance {
  return {
    operation: oneOf(PROVENANCE_OPERATIONS, provenance['operation']) ?? 'initial',
    derived_from: texts(provenance['derived_from']),
    original_annotations_preserved: provenance['original_annotations_preserved'] !== false,
    ...optional('synthesis_notes', text(provenance['synthesis_notes'])),
  }
}

function withoutEmpty(object: object): RecordDocument {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => !Array.isArray(value) || value.length > 0),
  )
}

function fields(value: unknown): RecordDocument {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function texts(value: unknown): readonly string[] {
  return list(value).flatMap((item) => text(item) ?? [])
}

function oneOf<const Values extends readonly string[]>(
  values: Values,
  value: unknown,
): Values[number] | undefined {
  return values.find((known) => known === value)
}

function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [K in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [K in Name]?: Value }
}
