/** One violation of a schema, and where it is. */
export interface Problem {
  /** Member names and indexes from the root value. */
  readonly path: readonly string[]
  readonly message: string
}

/** Checks a value; adds to `problems` and returns false if it is invalid. */
export type Check = (value: unknown, problems: Problem[]) => boolean

/** Compiles a subschema. */
export type CompileInner = (schema: unknown) => Check

/** Adds a problem with the value itself. */
export function fail(problems: Problem[], message: string): false {
  problems.push({ path: [], message })
  return false
}

/**
 * Checks a member or item. Paths are built while a failure returns,
 * so that a valid value costs no allocation.
 */
export function checkInside(
  key: string | number,
  value: unknown,
  check: Check,
  problems: Problem[],
): boolean {
  const before = problems.length
  if (check(value, problems)) return true
  for (let index = before; index < problems.length; index++) {
    const problem = problems[index]
    if (problem === undefined) continue
    problems[index] = { ...problem, path: [String(key), ...problem.path] }
  }
  return false
}

/** Whether a value passes, without the problems. */
export function passes(value: unknown, check: Check): boolean {
  return check(value, [])
}

/** Combines checks: all of them run, so that all problems are found. */
export function all(checks: readonly Check[]): Check {
  const [only] = checks
  if (only !== undefined && checks.length === 1) return only
  return (value, problems) => {
    let valid = true
    for (const check of checks) if (!check(value, problems)) valid = false
    return valid
  }
}
