/** Something that can be found, in the words that it is found by. */
export interface SearchDocument {
  /** `entity`, `message`, `annotation`, `artifact`: who owns it and knows the rest of it. */
  readonly kind: string
  /** Its id there. */
  readonly ref: string
  readonly type: string
  readonly status: string | null
  readonly title: string
  readonly body: string
  readonly tags: readonly string[]
  readonly author: string | null
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
}

interface Entity {
  readonly id: string
  readonly type: string
  readonly status: string | null
  readonly title: string
  readonly content: string | null
  readonly tags: readonly string[]
  readonly properties: Readonly<Record<string, unknown>>
  readonly createdBy: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** Properties that are no text to be found by: states, ids, formats. */
const UNSEARCHED: ReadonlySet<string> = new Set([
  'status',
  'superseded_by',
  'output_schema',
  'due_date',
  'defer_until',
  'verified_at',
  'verified_completion',
  'hash',
])

export function toSearchDocument(entity: Entity): SearchDocument {
  const { id, type, status, title, content, tags, createdBy, createdAt, updatedAt } = entity
  const texts = textsIn(entity.properties)
  return {
    kind: 'entity',
    ref: id,
    type,
    status,
    title,
    body: [content ?? '', ...texts].filter((text) => text !== '').join('\n\n'),
    tags,
    author: createdBy,
    createdAt,
    updatedAt,
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    UNSEARCHED.has(name) ? [] : textsIn(inner),
  )
}
