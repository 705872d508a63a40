/**
 * Names that reach the prototype chain when somebody merges the object that holds them.
 * No MCP message needs them, so they are refused at the door instead of being handled everywhere.
 */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** What walking a parsed JSON value found. */
export interface ValueSurvey {
  readonly members: number
  readonly forbiddenName: string | undefined
}

/** Counts the object members of a parsed value and looks for a name that no message may use. */
export function surveyValue(value: unknown): ValueSurvey {
  const survey = { members: 0, forbiddenName: undefined }
  visit(value, survey)
  return survey
}

// Recursion is safe: the caller has refused texts that nest too deep.
function visit(
  value: unknown,
  survey: { members: number; forbiddenName: string | undefined },
): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) visit(item, survey)
    return
  }
  for (const name of Object.keys(value)) {
    survey.members++
    if (FORBIDDEN_NAMES.has(name)) survey.forbiddenName = name
    visit((value as Record<string, unknown>)[name], survey)
  }
}
