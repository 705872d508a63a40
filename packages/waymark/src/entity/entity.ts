import * as z from 'zod'
import { once } from '../support/once.ts'
import { parse, refuseUnknown, type Violation, violation } from '../core/input/parse.ts'
import {
  body,
  type JsonSchema,
  jsonText,
  oneLine,
  oneOf,
  toJsonSchema,
  tooLarge,
  webAddress,
} from '../core/input/schema.ts'
import { TASK_RECORD, taskFields, toTaskRecord } from '../task/fields.ts'
import { TASK_STATUSES } from '../task/task.ts'

export const ENTITY_TYPES = ['decision', 'task', 'note', 'prompt', 'component', 'link'] as const
export type EntityType = (typeof ENTITY_TYPES)[number]

const DECISION_STATUSES = ['proposed', 'accepted', 'deprecated', 'superseded'] as const
const COMPONENT_STATUSES = ['active', 'deprecated', 'planned'] as const

/** The statuses that an entity of this type can have, or one of any type. */
export function statusesOf(type?: EntityType): readonly string[] {
  const known: Readonly<Partial<Record<EntityType, readonly string[]>>> = {
    task: TASK_STATUSES,
    decision: DECISION_STATUSES,
    component: COMPONENT_STATUSES,
  }
  return type === undefined ? [...new Set(Object.values(known).flat())] : (known[type] ?? [])
}

const KIB = 1024

/** Input limits of one call. Stored values may exceed them, because merges create longer lists and texts. */
const MOST_ITEMS = 1_000
export const LARGEST_TEXT = 50 * KIB
export const LARGEST_CONTENT = 100 * KIB
export const LONGEST_TITLE = 500
export const LONGEST_TAG = 100

/** Texts that several people may edit at once; every other text is one value, and the last writer wins. */
export const LONG_TEXTS: ReadonlySet<string> = new Set(['context', 'template'])
const longText = () => body({ max: Infinity })

/** The plural is what people type in `waymark list decisions`. */
export const entityType = oneOf(
  ENTITY_TYPES,
  Object.fromEntries(ENTITY_TYPES.map((type) => [`${type}s`, type])),
)
export const title = oneLine({ max: LONGEST_TITLE })
export const content = body({ max: LARGEST_CONTENT })
export const tags = z.array(oneLine({ max: LONGEST_TAG })).max(50)

const name = (max: number) => oneLine({ max })

/** Where something was imported from, and what it said there. Tasks have the same fields. */
const importRecord = once(() =>
  z.object({ external_ref: name(200).optional(), external_hash: z.string().max(100).optional() }),
)

/** The fields of each type beyond title, content and tags, made when needed: most commands need none of them. */
const PROPERTIES = {
  decision: once(() =>
    z.object({
      status: oneOf(DECISION_STATUSES).default('proposed'),
      context: longText().optional().describe('What led to the decision'),
      consequences: z
        .array(body({ max: KIB }))
        .default([])
        .describe('What follows from the decision'),
      superseded_by: oneLine({ max: 100 })
        .optional()
        .describe('Id of the decision that replaces it'),
    }),
  ),
  task: taskFields,
  note: once(() =>
    z.object({ note_type: name(50).optional().describe('Kind of note: meeting, idea, …') }),
  ),
  prompt: once(() =>
    z.object({
      template: longText().optional().describe('Text with {{variable}} placeholders'),
      variables: z.array(name(100)).default([]).describe('Names used in the template'),
      output_schema: jsonText({ max: 10 * KIB })
        .optional()
        .describe('JSON Schema of the answer, as text'),
    }),
  ),
  component: once(() =>
    z.object({
      component_type: name(50).optional().describe('Kind of component: service, library, …'),
      status: oneOf(COMPONENT_STATUSES).default('active'),
      owner: name(100).optional().describe('Who looks after it'),
    }),
  ),
  link: once(() =>
    z.object({
      url: webAddress({ max: 2 * KIB }).describe('http or https address'),
      link_type: name(50).optional().describe('Kind of link: docs, issue, …'),
    }),
  ),
} satisfies Record<EntityType, () => z.ZodObject>

const toImportRecord = (properties: Properties): Properties => importRecord().parse(properties)
const IMPORT_RECORD: ReadonlySet<string> = new Set(['external_ref', 'external_hash'])

/** Fields that only operations write. A caller's values for them are ignored. */
const RECORDS: Partial<Record<EntityType, (properties: Properties) => Properties>> = {
  task: toTaskRecord,
  decision: toImportRecord,
  note: toImportRecord,
  component: toImportRecord,
}

/** Their names. */
const RECORDED: Partial<Record<EntityType, ReadonlySet<string>>> = {
  task: TASK_RECORD,
  decision: IMPORT_RECORD,
  note: IMPORT_RECORD,
  component: IMPORT_RECORD,
}

/** Fields that a more specific operation explains, so that the general ones stay short. */
const EXPLAINED_ELSEWHERE: ReadonlySet<string> = new Set([
  'task_type',
  'defer_until',
  'needs_verification',
  'acceptance_criteria',
  'locks',
  'key',
  'external_ref',
  'external_hash',
  'prd',
])

export type Properties = Readonly<Record<string, unknown>>

/** Rejects unknown properties. Lifecycle fields are ignored, so that a caller may send back what it read. */
export function refuseUnknownProperties(type: EntityType, given: Properties): void {
  const sent = Object.entries(given).filter(([name]) => RECORDED[type]?.has(name) !== true)
  refuseUnknown(PROPERTIES[type](), Object.fromEntries(sent), ['properties'])
}

export function hasProperty(type: EntityType, name: string): boolean {
  return name in PROPERTIES[type]().shape
}

/** The complete, checked properties of a new entity, with defaults filled in. */
export function newProperties(type: EntityType, given: Properties): Properties {
  const properties = checkProperties(type, given)
  checkSizes(properties, given)
  return properties
}

/** The properties after a change: named fields are replaced, `null` clears one, the rest stays. */
export function changedProperties(
  type: EntityType,
  current: Properties,
  change: Properties,
): Properties {
  const kept = Object.entries({ ...current, ...change }).filter(([, value]) => value !== null)
  const changed = checkProperties(type, Object.fromEntries(kept))
  checkSizes(changed, change)
  // Lifecycle fields of a closing apply to that closing only.
  const isKept = type !== 'task' || changed['status'] === current['status']
  const record = isKept ? recordOf(type, current) : {}
  return { ...changed, ...record }
}

function recordOf(type: EntityType, properties: Properties): Properties {
  return RECORDS[type]?.(properties) ?? {}
}

function checkProperties(type: EntityType, given: Properties): Properties {
  const properties = parse(PROPERTIES[type](), given, ['properties'])
  if (
    'superseded_by' in properties &&
    properties.superseded_by !== undefined &&
    properties.status !== 'superseded'
  ) {
    const message = 'must be superseded where superseded_by is given'
    throw violation('properties.status', 'not_one_of', message, {
      value: given['status'] ?? null,
      valid: ['superseded'],
    })
  }
  return properties
}

function checkSizes(properties: Properties, sent: Properties): void {
  for (const field of Object.keys(sent)) {
    const found = sizeViolation(field, properties[field])
    if (found !== undefined) {
      throw violation(`properties.${field}`, found.rule, found.message, found.facts)
    }
  }
}

function sizeViolation(field: string, value: unknown): Violation | undefined {
  if (Array.isArray(value) && value.length > MOST_ITEMS) {
    return {
      rule: 'too_many',
      message: `must have at most ${MOST_ITEMS} items`,
      facts: { max: MOST_ITEMS },
    }
  }
  if (typeof value !== 'string' || !LONG_TEXTS.has(field)) return undefined
  return tooLarge(value, LARGEST_TEXT)
}

/** JSON Schema of the properties of one type, as callers send them. */
export function propertiesSchema(type: EntityType) {
  return toJsonSchema(PROPERTIES[type]())
}

/** All property names with their descriptions, for callers that use one object schema for every type. */
export function documentProperties(): JsonSchema {
  const documented: Record<string, { description: string }> = {}
  for (const type of ENTITY_TYPES) {
    const { properties = {} } = propertiesSchema(type) as {
      properties?: Record<string, { enum?: string[]; default?: unknown }>
    }
    for (const [field, { default: _, ...schema }] of Object.entries(properties)) {
      if (EXPLAINED_ELSEWHERE.has(field)) continue
      documented[field] =
        field === 'status'
          ? statusOf(type, schema.enum ?? [], documented[field])
          : { description: '', ...schema }
    }
  }
  return { properties: documented }
}

function statusOf(
  type: EntityType,
  values: readonly string[],
  before: { description: string } | undefined,
) {
  const own = `${type}: ${values.join(' | ')}`
  return {
    type: 'string',
    description: before === undefined ? own : `${before.description}; ${own}`,
  }
}
