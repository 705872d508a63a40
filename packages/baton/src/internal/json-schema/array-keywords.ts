import type { JsonObject } from '../../protocol/json-rpc.ts'
import { toCanonicalText } from '../canonical-text.ts'
import { checkInside, fail, passes } from './check.ts'
import type { Check, CompileInner, Problem } from './check.ts'
import { readNumber, readSchemas } from './read-keyword.ts'

/** Compiles the keywords for arrays. */
export function arrayChecks(schema: JsonObject, compile: CompileInner): Check[] {
  return [
    ...lengthChecks(schema),
    ...itemChecks(schema, compile),
    ...containsChecks(schema, compile),
    ...(schema['uniqueItems'] === true ? [onArray(checkUnique)] : []),
  ]
}

function lengthChecks(schema: JsonObject): Check[] {
  const checks: Check[] = []
  const minimum = readNumber(schema, 'minItems')
  const maximum = readNumber(schema, 'maxItems')
  if (minimum !== undefined) {
    const message = `must have at least ${minimum} items`
    checks.push(onArray((items, problems) => items.length >= minimum || fail(problems, message)))
  }
  if (maximum !== undefined) {
    const message = `must have at most ${maximum} items`
    checks.push(onArray((items, problems) => items.length <= maximum || fail(problems, message)))
  }
  return checks
}

function itemChecks(schema: JsonObject, compile: CompileInner): Check[] {
  // Draft-07 has a tuple as a list in `items`, and the items after it in `additionalItems`.
  const isOldTuple = Array.isArray(schema['items'])
  const tuple = isOldTuple ? readSchemas(schema, 'items') : readSchemas(schema, 'prefixItems')
  const rest = isOldTuple ? schema['additionalItems'] : schema['items']
  const first = tuple.map(compile)
  const others = rest === undefined ? undefined : compile(rest)
  if (first.length === 0 && others === undefined) return []
  return [
    onArray((items, problems) => {
      let valid = true
      for (let index = 0; index < items.length; index++) {
        const check = first[index] ?? others
        if (check === undefined) break
        if (!checkInside(index, items[index], check, problems)) valid = false
      }
      return valid
    }),
  ]
}

function containsChecks(schema: JsonObject, compile: CompileInner): Check[] {
  if (schema['contains'] === undefined) return []
  const check = compile(schema['contains'])
  const minimum = readNumber(schema, 'minContains') ?? 1
  const maximum = readNumber(schema, 'maxContains') ?? Number.POSITIVE_INFINITY
  return [
    onArray((items, problems) => {
      const count = items.filter((item) => passes(item, check)).length
      if (count >= minimum && count <= maximum) return true
      const expected =
        maximum === Number.POSITIVE_INFINITY ? `at least ${minimum}` : `${minimum} to ${maximum}`
      return fail(problems, `must contain ${expected} matching items, has ${count}`)
    }),
  ]
}

// By canonical text: comparing all pairs would take quadratic time.
function checkUnique(items: readonly unknown[], problems: Problem[]): boolean {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    if (seen.size === seen.add(toCanonicalText(item)).size) {
      return fail(problems, `must have unique items, but item ${index} is a duplicate`)
    }
  }
  return true
}

function onArray(check: (items: readonly unknown[], problems: Problem[]) => boolean): Check {
  return (value, problems) => !Array.isArray(value) || check(value, problems)
}
