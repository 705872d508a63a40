import { withoutEnd } from './without-end.ts'

/**
 * Whether a path from the top of a working tree leads into `.git` or Waymark's folder, by its names. Some file systems
 * ignore case, trailing dots and blanks, stream names and invisible characters, and Windows has short (8.3) names. All
 * of these are matched on every system, because a tree can be moved from one to another.
 */
export function hasOwnName(parts: readonly string[]): boolean {
  const names = parts.map(toPlainName)
  return names.some(
    (name, at) =>
      name === '.git' ||
      /^git~\d+$/.test(name) ||
      (name === 'state' && names[at - 1] === '.waymark'),
  )
}

function toPlainName(part: string): string {
  const visible = part.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
  const [name = ''] = visible.split(':')
  return withoutEnd(name, '. ').toLowerCase()
}
