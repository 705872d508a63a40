import type { NamedSubject } from './dialect.ts'

/**
 * Whether a subscription by this number or id prefix matches the subject of the event. The same rule as for reads,
 * repeated here because that code loads the schema library.
 */
export function isNamed({ subject, data }: NamedSubject, name: string): boolean {
  const given = name.trim()
  const word = given.replace(/^#/, '')
  if (/^\d+$/.test(word)) {
    // A number that it had until now names something else, or nothing.
    if ([data['number'], data['from']].includes(Number(word))) return true
    // As many digits as are shown of an id may be a part of one.
    if (!/^\d{7,}$/.test(given)) return false
  }
  const prefix = word.replaceAll('-', '').toLowerCase()
  return prefix.length >= 4 && subject.replaceAll('-', '').startsWith(prefix)
}
