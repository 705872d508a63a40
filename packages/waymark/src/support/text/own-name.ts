import { withoutEnd } from './without-end.ts'

/**
 * Whether a path from the top of a working tree goes, by its names, into what is Git's or Waymark's own. Some systems
 * pass over case, dots and blanks at the end, the names of streams and characters that nobody sees, and Windows has
 * second, short names. All of them count everywhere: a tree can be moved from one system to another.
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
