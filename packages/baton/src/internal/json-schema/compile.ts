import { isJsonObject } from '../../protocol/json-rpc.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import { arrayChecks } from './array-keywords.ts'
import { all, fail } from './check.ts'
import type { Check, CompileInner } from './check.ts'
import { logicChecks } from './logic-keywords.ts'
import { objectChecks } from './object-keywords.ts'
import { valueChecks } from './value-keywords.ts'

// Refused rather than silently ignored.
const UNSUPPORTED = [
  '$dynamicRef',
  '$recursiveRef',
  'dependencies',
  'unevaluatedItems',
  'unevaluatedProperties',
]

/**
 * Compiles a JSON Schema (2020-12, or the part of draft-07 that it shares) into a check.
 * Each keyword becomes a closure. No code is generated, so untrusted schemas are safe to compile, also under
 * a Content Security Policy that forbids `eval`. References are resolved within the schema only.
 */
export function compileJsonSchema(root: unknown): Check {
  const checksBySchema = new Map<unknown, Check>()

  const compile: CompileInner = (schema) => {
    const known = checksBySchema.get(schema)
    if (known !== undefined) return known
    // Registered before its subschemas are compiled, because a schema may refer to itself.
    checksBySchema.set(schema, (value, problems) => compiled(value, problems))
    const compiled = compileOne(schema)
    return compiled
  }

  function compileOne(schema: unknown): Check {
    if (schema === true) return () => true
    if (schema === false) return (_value, problems) => fail(problems, 'is not allowed')
    if (!isJsonObject(schema)) throw new TypeError('a schema must be an object or a boolean')
    for (const keyword of UNSUPPORTED) {
      if (keyword in schema) throw new TypeError(`schema keyword ${keyword} is not supported`)
    }
    return all([
      ...valueChecks(schema),
      ...arrayChecks(schema, compile),
      ...objectChecks(schema, compile),
      ...logicChecks(schema, compile),
      ...referenceChecks(schema),
    ])
  }

  function referenceChecks(schema: JsonObject): Check[] {
    const { $ref: reference } = schema
    if (reference === undefined) return []
    if (typeof reference !== 'string') throw new TypeError('$ref must be a string')
    return [compile(resolveReference(root, reference))]
  }

  return compile(root)
}

function resolveReference(root: unknown, reference: string): unknown {
  if (reference === '#') return root
  const target = reference.startsWith('#/')
    ? resolvePointer(root, reference.slice(2))
    : reference.startsWith('#')
      ? findAnchor(root, reference.slice(1))
      : undefined
  if (target === undefined) throw new TypeError(`$ref ${reference} is not found in the schema`)
  return target
}

function resolvePointer(root: unknown, pointer: string): unknown {
  let target = root
  for (const token of decodeURIComponent(pointer).split('/')) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, name))
      return undefined
    target = (target as JsonObject)[name]
  }
  return target
}

function findAnchor(schema: unknown, anchor: string): unknown {
  if (typeof schema !== 'object' || schema === null) return undefined
  if ((schema as JsonObject)['$anchor'] === anchor) return schema
  for (const part of Object.values(schema)) {
    const found = findAnchor(part, anchor)
    if (found !== undefined) return found
  }
  return undefined
}
