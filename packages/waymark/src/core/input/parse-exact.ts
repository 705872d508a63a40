import type * as z from 'zod'
import { nearestNames } from '../../search/text/spelling.ts'
import type { Failure } from '../error.ts'
import { parse, violation } from './parse.ts'

/** As `parse`, but rejects unknown fields. */
export function parseExact<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  refuseUnknown(schema, value)
  return parse(schema, value)
}

/**
 * Rejects a field that is not in the schema, at any depth: zod would drop it, and a misspelled field would be ignored
 * silently. Records and loose objects may hold any field.
 */
export function refuseUnknown(schema: z.ZodType, value: unknown, at: readonly string[] = []): void {
  const found = findUnknown(schema, value)
  if (found !== undefined) throw toFailure({ ...found, path: [...at, ...found.path] })
}

interface UnknownField {
  readonly path: readonly string[]
  /** The known fields. */
  readonly known: readonly string[]
}

/** Values of a wrong type are left to `parse`, and so the depth is that of the schema, however deep the value is. */
function findUnknown(schema: z.core.$ZodType, value: unknown): UnknownField | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') return Array.isArray(value) ? undefined : findInObject(def, value)
  if (def.type === 'array') return Array.isArray(value) ? findInList(def, value) : undefined
  if (def.type === 'union') return findInUnion(def, value)
  if (def.type === 'pipe') return findUnknown(def.in, value)
  return 'innerType' in def ? findUnknown(def.innerType, value) : undefined
}

function findInObject(
  { shape, catchall }: z.core.$ZodObjectDef,
  value: object,
): UnknownField | undefined {
  const isLoose = catchall !== undefined && catchall._zod.def.type !== 'never'
  for (const [name, inner] of Object.entries(value)) {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (field === undefined && isLoose) continue
    if (field === undefined) return { path: [name.slice(0, 100)], known: Object.keys(shape) }
    const found = findUnknown(field, inner)
    if (found !== undefined) return { ...found, path: [name, ...found.path] }
  }
  return undefined
}

function findInList(
  { element }: z.core.$ZodArrayDef,
  values: readonly unknown[],
): UnknownField | undefined {
  for (const [at, value] of values.entries()) {
    const found = findUnknown(element, value)
    if (found !== undefined) return { ...found, path: [String(at), ...found.path] }
  }
  return undefined
}

/** One of the forms has to know every field. */
function findInUnion({ options }: z.core.$ZodUnionDef, value: object): UnknownField | undefined {
  const form = Array.isArray(value) ? 'array' : 'object'
  const found = options
    .filter(({ _zod }) => _zod.def.type === form)
    .map((option) => findUnknown(option, value))
  return found.includes(undefined) ? undefined : found[0]
}

function toFailure({ path, known }: UnknownField): Failure {
  return violation(path.join('.'), 'unknown_field', remedy(path.at(-1) ?? '', known), {
    valid: known,
  })
}

function remedy(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'is unknown, nothing is taken here'
  const near = nearestNames(name, known, (each) => each.toLowerCase().replaceAll('_', ''))
  return near.length > 0
    ? `is unknown; did you mean ${near.join(' or ')}?`
    : `is not one of ${known.join(', ')}`
}
