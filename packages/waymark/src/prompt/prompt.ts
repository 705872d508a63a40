const PLACEHOLDER = /\{\{\s*([^{}\s]{1,100})\s*\}\}/g

/** Names that a template asks for: those that were declared, then those that only occur in it. */
export function variablesOf(template: string, declared: readonly string[]): readonly string[] {
  const used = [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name)
  return [...new Set([...declared, ...used])]
}

/** Fills in a template in one pass: values are never scanned for placeholders. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(PLACEHOLDER, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : placeholder,
  )
}
