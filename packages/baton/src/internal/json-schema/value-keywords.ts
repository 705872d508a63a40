import type { JsonObject } from '../../protocol/json-rpc.ts'
import { fail } from './check.ts'
import type { Check } from './check.ts'
import { isDeepEqual } from './deep-equal.ts'
import { readNumber, readStrings } from './read-keyword.ts'

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: (value) => Array.isArray(value),
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isInteger(value),
  null: (value) => value === null,
  number: (value) => typeof value === 'number',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  string: (value) => typeof value === 'string',
}

/** Compiles the keywords for scalar values: type, enum, strings and numbers. */
export function valueChecks(schema: JsonObject): Check[] {
  return [
    ...typeChecks(schema['type']),
    ...choiceChecks(schema),
    ...stringChecks(schema),
    ...numberChecks(schema),
  ]
}

function typeChecks(type: unknown): Check[] {
  if (type === undefined) return []
  const names = typeof type === 'string' ? [type] : readStrings({ type }, 'type')
  const tests = names.map((name) => {
    const test = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined
    if (test === undefined) throw new TypeError(`schema type ${name} is unknown`)
    return test
  })
  const message = `must be ${names.join(' or ')}`
  return [(value, problems) => tests.some((test) => test(value)) || fail(problems, message)]
}

function choiceChecks(schema: JsonObject): Check[] {
  const checks: Check[] = []
  if ('const' in schema) {
    const message = `must be ${JSON.stringify(schema['const'])}`
    checks.push((value, problems) => isDeepEqual(value, schema['const']) || fail(problems, message))
  }
  const { enum: choices } = schema
  if (choices !== undefined) {
    if (!Array.isArray(choices)) throw new TypeError('schema keyword enum must be a list')
    const message = `must be one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`
    checks.push(
      (value, problems) =>
        choices.some((choice) => isDeepEqual(value, choice)) || fail(problems, message),
    )
  }
  return checks
}

function stringChecks(schema: JsonObject): Check[] {
  const checks: Check[] = []
  const minimum = readNumber(schema, 'minLength')
  const maximum = readNumber(schema, 'maxLength')
  if (minimum !== undefined) {
    const message = `must have at least ${minimum} characters`
    checks.push(onString((text) => lengthOf(text) >= minimum, message))
  }
  if (maximum !== undefined) {
    const message = `must have at most ${maximum} characters`
    checks.push(onString((text) => lengthOf(text) <= maximum, message))
  }
  const { pattern } = schema
  if (typeof pattern === 'string') {
    const expression = new RegExp(pattern, 'u')
    checks.push(onString((text) => expression.test(text), `must match ${pattern}`))
  }
  return checks
}

function numberChecks(schema: JsonObject): Check[] {
  const bounds: readonly [string, (value: number, bound: number) => boolean, string][] = [
    ['minimum', (value, bound) => value >= bound, 'must be at least'],
    ['maximum', (value, bound) => value <= bound, 'must be at most'],
    ['exclusiveMinimum', (value, bound) => value > bound, 'must be more than'],
    ['exclusiveMaximum', (value, bound) => value < bound, 'must be less than'],
    ['multipleOf', isMultiple, 'must be a multiple of'],
  ]
  return bounds.flatMap(([keyword, isWithin, message]) => {
    const bound = readNumber(schema, keyword)
    if (bound === undefined) return []
    const check: Check = (value, problems) =>
      typeof value !== 'number' || isWithin(value, bound) || fail(problems, `${message} ${bound}`)
    return [check]
  })
}

function onString(test: (text: string) => boolean, message: string): Check {
  return (value, problems) => typeof value !== 'string' || test(value) || fail(problems, message)
}

/** Length in code points, as JSON Schema defines it. */
function lengthOf(text: string): number {
  let length = 0
  for (const _codePoint of text) length++
  return length
}

// With a tolerance: 0.3 must count as a multiple of 0.1 despite binary fractions.
function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor
  return Math.abs(quotient - Math.round(quotient)) < 1e-9
}
