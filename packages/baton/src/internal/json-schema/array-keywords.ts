import type { JsonObject } from '../../protocol/json-rpc.ts'
import { toCanonicalText } from '../canonical-text.ts'
import { checkInside, fail, passes } from './check.ts'
import type { Check, CompileInner, Problem } from './check.ts'
import { readNumber, readSchemas } from './read-keyword.ts'

/** The checks that look into arrays. */
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
  const fewest = readNumber(schema, 'minItems')
  const most = readNumber(schema, 'maxItems')
  if (fewest !== undefined) {
    const message = `must have at least ${fewest} items`
    checks.push(onArray((items, problems) => items.length >= fewest || fail(problems, message)))
  }
  if (most !== undefined) {
    const message = `must have at most ${most} items`
    checks.push(onArray((items, problems) => items.length <= most || fail(problems, message)))
  }
  return checks
}

function itemChecks(schema: JsonObject, compile: CompileInner): Check[] {
  // Draft-07 spells a tuple as a list in `items`, and what comes after it as `additionalItems`.
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
  const fewest = readNumber(schema, 'minContains') ?? 1
  const most = readNumber(schema, 'maxContains') ?? Number.POSITIVE_INFINITY
  return [
    onArray((items, problems) => {
      const count = items.filter((item) => passes(item, check)).length
      if (count >= fewest && count <= most) return true
      return fail(problems, `has ${count} items of a kind that it must have ${fewest} or more of`)
    }),
  ]
}

// By canonical text, because comparing each with each would take a long list hours.
function checkUnique(items: readonly unknown[], problems: Problem[]): boolean {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    if (seen.size === seen.add(toCanonicalText(item)).size) {
      return fail(problems, `has the same item twice, at ${index}`)
    }
  }
  return true
}

function onArray(check: (items: readonly unknown[], problems: Problem[]) => boolean): Check {
  return (value, problems) => !Array.isArray(value) || check(value, problems)
}
