import type { JsonObject } from '../../protocol/json-rpc.ts'
import { all, fail, passes } from './check.ts'
import type { Check, CompileInner } from './check.ts'
import { readSchemas } from './read-keyword.ts'

/** The checks that combine other schemas. */
export function logicChecks(schema: JsonObject, compile: CompileInner): Check[] {
  const compileList = (keyword: string): Check[] => readSchemas(schema, keyword).map(compile)
  const [allOf, anyOf, oneOf] = [compileList('allOf'), compileList('anyOf'), compileList('oneOf')]
  return [
    ...(allOf.length > 0 ? [all(allOf)] : []),
    ...(anyOf.length > 0 ? [toAnyOf(anyOf)] : []),
    ...(oneOf.length > 0 ? [toOneOf(oneOf)] : []),
    ...(schema['not'] === undefined ? [] : [toNot(compile(schema['not']))]),
    ...(schema['if'] === undefined ? [] : [toCondition(schema, compile)]),
  ]
}

function toAnyOf(checks: readonly Check[]): Check {
  return (value, problems) =>
    checks.some((check) => passes(value, check)) ||
    fail(problems, `matches none of the ${checks.length} allowed shapes`)
}

function toOneOf(checks: readonly Check[]): Check {
  return (value, problems) => {
    const count = checks.filter((check) => passes(value, check)).length
    if (count === 1) return true
    return fail(problems, `matches ${count} of the ${checks.length} shapes instead of exactly one`)
  }
}

function toNot(check: Check): Check {
  return (value, problems) =>
    !passes(value, check) || fail(problems, 'has a shape that is not allowed')
}

function toCondition(schema: JsonObject, compile: CompileInner): Check {
  const condition = compile(schema['if'])
  const whenTrue = compile(schema['then'] ?? true)
  const whenFalse = compile(schema['else'] ?? true)
  return (value, problems) => (passes(value, condition) ? whenTrue : whenFalse)(value, problems)
}
