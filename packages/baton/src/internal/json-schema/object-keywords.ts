import { isJsonObject } from '../../protocol/json-rpc.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import { checkInside, fail } from './check.ts'
import type { Check, CompileInner, Problem } from './check.ts'
import { readNumber, readStrings } from './read-keyword.ts'

/** Compiles the keywords for objects. */
export function objectChecks(schema: JsonObject, compile: CompileInner): Check[] {
  return [
    ...requiredChecks(schema),
    ...sizeChecks(schema),
    ...memberChecks(schema, compile),
    ...nameChecks(schema, compile),
    ...dependentChecks(schema, compile),
  ]
}

function requiredChecks(schema: JsonObject): Check[] {
  const names = readStrings(schema, 'required')
  if (names.length === 0) return []
  return [onObject((object, problems) => checkPresence(object, names, problems))]
}

function checkPresence(object: JsonObject, names: readonly string[], problems: Problem[]): boolean {
  let valid = true
  for (const name of names) {
    if (Object.hasOwn(object, name)) continue
    problems.push({ path: [name], message: 'is required' })
    valid = false
  }
  return valid
}

function sizeChecks(schema: JsonObject): Check[] {
  const minimum = readNumber(schema, 'minProperties')
  const maximum = readNumber(schema, 'maxProperties')
  if (minimum === undefined && maximum === undefined) return []
  return [
    onObject((object, problems) => {
      const size = Object.keys(object).length
      if (minimum !== undefined && size < minimum) {
        return fail(problems, `must have at least ${minimum} members`)
      }
      if (maximum !== undefined && size > maximum) {
        return fail(problems, `must have at most ${maximum} members`)
      }
      return true
    }),
  ]
}

function memberChecks(schema: JsonObject, compile: CompileInner): Check[] {
  const byName = new Map(compileMembers(schema, 'properties', compile))
  const byPattern = compileMembers(schema, 'patternProperties', compile).map(
    ([pattern, check]) => [new RegExp(pattern, 'u'), check] as const,
  )
  const { additionalProperties } = schema
  const others = additionalProperties === undefined ? undefined : compile(additionalProperties)
  if (byName.size === 0 && byPattern.length === 0 && others === undefined) return []
  return [
    onObject((object, problems) => {
      let valid = true
      for (const name of Object.keys(object)) {
        const value = object[name]
        const checks = byPattern.filter(([pattern]) => pattern.test(name)).map(([, check]) => check)
        const named = byName.get(name)
        if (named !== undefined) checks.push(named)
        if (checks.length === 0 && others !== undefined) checks.push(others)
        for (const check of checks) {
          if (!checkInside(name, value, check, problems)) valid = false
        }
      }
      return valid
    }),
  ]
}

function nameChecks(schema: JsonObject, compile: CompileInner): Check[] {
  if (schema['propertyNames'] === undefined) return []
  const check = compile(schema['propertyNames'])
  return [
    onObject((object, problems) => {
      let valid = true
      for (const name of Object.keys(object)) {
        if (!checkInside(name, name, check, problems)) valid = false
      }
      return valid
    }),
  ]
}

function dependentChecks(schema: JsonObject, compile: CompileInner): Check[] {
  const required = schema['dependentRequired']
  const needs = isJsonObject(required)
    ? Object.keys(required).map((name) => [name, readStrings(required, name)] as const)
    : []
  const shapes = compileMembers(schema, 'dependentSchemas', compile)
  return [
    ...needs.map(([name, others]) =>
      onObject(
        (object, problems) =>
          !Object.hasOwn(object, name) || checkPresence(object, others, problems),
      ),
    ),
    ...shapes.map(([name, check]) =>
      onObject((object, problems) => !Object.hasOwn(object, name) || check(object, problems)),
    ),
  ]
}

function compileMembers(
  schema: JsonObject,
  keyword: string,
  compile: CompileInner,
): (readonly [string, Check])[] {
  const members = schema[keyword] ?? {}
  if (!isJsonObject(members)) throw new TypeError(`schema keyword ${keyword} must be an object`)
  return Object.entries(members).map(([name, member]) => [name, compile(member)] as const)
}

function onObject(check: (object: JsonObject, problems: Problem[]) => boolean): Check {
  return (value, problems) => !isJsonObject(value) || check(value, problems)
}
