/** Checks of values that were parsed from JSON which another program may have written. */

export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

export function isListOf<Item>(
  value: unknown,
  isItem: (item: unknown) => item is Item,
): value is readonly Item[] {
  return Array.isArray(value) && (value as readonly unknown[]).every(isItem)
}

/** Also for a field that is absent. */
export function isOptional<Value>(
  value: unknown,
  isValue: (value: unknown) => value is Value,
): value is Value | undefined {
  return value === undefined || isValue(value)
}

/** Whether a value is one of these words. */
export function isOneOf<Word extends string>(
  words: readonly Word[],
): (value: unknown) => value is Word {
  return (value): value is Word => words.includes(value as Word)
}
