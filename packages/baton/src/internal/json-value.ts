/**
 * Names that can pollute prototypes when an object is merged into another.
 * No MCP message needs them, so they are refused on input instead of being handled everywhere.
 */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** The member count of a parsed JSON value, and a forbidden name if it has one. */
export interface ValueScan {
  readonly members: number
  readonly forbiddenName: string | undefined
}

/** Counts the object members of a parsed value and looks for forbidden names. */
export function scanValue(value: unknown): ValueScan {
  const scan = { members: 0, forbiddenName: undefined }
  visit(value, scan)
  return scan
}

// Recursion is safe: the caller has refused texts that nest too deep.
function visit(value: unknown, scan: { members: number; forbiddenName: string | undefined }): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) visit(item, scan)
    return
  }
  for (const name of Object.keys(value)) {
    scan.members++
    if (FORBIDDEN_NAMES.has(name)) scan.forbiddenName = name
    visit((value as Record<string, unknown>)[name], scan)
  }
}
