import type { JsonObject } from '../../protocol/json-rpc.ts'
import { all, fail, passes } from './check.ts'
import type { Check, CompileInner } from './check.ts'
import { readSchemas } from './read-keyword.ts'

/** Compiles the keywords that combine schemas. */
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
    fail(problems, `must match at least one of ${checks.length} schemas (anyOf)`)
}

function toOneOf(checks: readonly Check[]): Check {
  return (value, problems) => {
    const count = checks.filter((check) => passes(value, check)).length
    if (count === 1) return true
    return fail(
      problems,
      `must match exactly one of ${checks.length} schemas (oneOf), matches ${count}`,
    )
  }
}

function toNot(check: Check): Check {
  return (value, problems) =>
    !passes(value, check) || fail(problems, 'must not match the schema in "not"')
}

function toCondition(schema: JsonObject, compile: CompileInner): Check {
  const condition = compile(schema['if'])
  const whenTrue = compile(schema['then'] ?? true)
  const whenFalse = compile(schema['else'] ?? true)
  return (value, problems) => (passes(value, condition) ? whenTrue : whenFalse)(value, problems)
}
