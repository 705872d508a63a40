/**
 * File patterns: `*` and `?` within a name, `**` for any number of folders, `{a,b}` for either; `[…]` stands for any one
 * character. A pattern that may name a folder covers everything in it, so `src/api` reserves the whole of it.
 */
export function overlaps(one: string, other: string): boolean {
  const right = toPaths(other)
  return toPaths(one).some((a) => right.some((b) => shareFolders(a, b)))
}

/** Whether a file belongs to what a pattern covers; for a folder, whether anything in it may. */
export function covers(pattern: string, file: string, { isFolder = false } = {}): boolean {
  const path = toNames(file).map(toLiteral)
  const paths = isFolder ? [path, [...path, [ANY_FOLDERS]]] : [path]
  const itself = withContents(toNames(pattern)).map(toLiteral)
  return [itself, ...toPaths(pattern)].some((covered) =>
    paths.some((each) => shareFolders(covered, each)),
  )
}

/** A name with an ending is a file's; anything else may be a folder's. */
export function hasEnding(name: string): boolean {
  return /[^.]\.[^.]+$/.test(name)
}

/** How many alternatives a pattern may stand for; the rest of a longer list of braces is taken literally. */
const MOST_ALTERNATIVES = 64

const ANY_FOLDERS = '**'
const ANY_CHARACTERS = '*'
const ANY_CHARACTER = '?'

/** The characters of a file's name, or of a pattern for one. */
type Name = readonly string[]

function toPaths(pattern: string): readonly (readonly Name[])[] {
  return alternatives(pattern.trim()).map((path) => withContents(toNames(path)).map(toCharacters))
}

function alternatives(pattern: string): readonly string[] {
  let found = [pattern]
  for (;;) {
    const expanded = found.flatMap(expandOnce)
    if (expanded.length === found.length || expanded.length > MOST_ALTERNATIVES) return found
    found = expanded
  }
}

function expandOnce(pattern: string): readonly string[] {
  const braces = [...pattern.matchAll(/\{([^{}]*)\}/g)].find(([, words]) => words?.includes(','))
  if (braces === undefined) return [pattern]
  const before = pattern.slice(0, braces.index)
  const after = pattern.slice(braces.index + braces[0].length)
  return (braces[1] ?? '').split(',').map((word) => before + word + after)
}

function toNames(path: string): readonly string[] {
  const names: string[] = []
  for (const name of foldName(path).replaceAll('\\', '/').split('/')) {
    if (name === '' || name === '.') continue
    if (name === '..' && names.length > 0 && names.at(-1) !== '..') names.pop()
    else names.push(name)
  }
  return names
}

/**
 * Folds case and Unicode form, as some file systems do. Always, because locks come from other clones and a reserved file
 * that looks free is the worse error.
 */
function foldName(name: string): string {
  return name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC')
}

function withContents(names: readonly string[]): readonly string[] {
  const last = names.at(-1) ?? ''
  return last === ANY_FOLDERS || hasEnding(last) ? names : [...names, ANY_FOLDERS]
}

function toCharacters(name: string): Name {
  if (name === ANY_FOLDERS) return [ANY_FOLDERS]
  // A bracket that is not closed is found all the same, so that the rest is not searched again from the next one.
  const plain = name.replaceAll(/\[[^\]]*\]?/g, (set) => (set.endsWith(']') ? ANY_CHARACTER : set))
  return Array.from(plain.replaceAll(/\*+/g, ANY_CHARACTERS))
}

/** A real file may have a star in its name, where it is one character like any other. */
function toLiteral(name: string): Name {
  if (name === ANY_FOLDERS) return [ANY_FOLDERS]
  return Array.from(name, (character) => (/[*?]/.test(character) ? `\\${character}` : character))
}

function shareFolders(a: readonly Name[], b: readonly Name[]): boolean {
  return meet(a, b, { isAny: (name) => name[0] === ANY_FOLDERS, meets: shareNames })
}

function shareNames(a: Name, b: Name): boolean {
  return meet(a, b, {
    isAny: (character) => character === ANY_CHARACTERS,
    meets: (x, y) => x === y || x === ANY_CHARACTER || y === ANY_CHARACTER,
  })
}

interface Alphabet<Element> {
  /** Stands for any number of elements. */
  readonly isAny: (element: Element) => boolean
  readonly meets: (one: Element, other: Element) => boolean
}

/**
 * Whether some sequence matches both patterns. Fills the table of their positions row by row, so that no pattern,
 * however many stars it has, takes longer than the product of the lengths.
 */
function meet<Element>(
  a: readonly Element[],
  b: readonly Element[],
  { isAny, meets }: Alphabet<Element>,
): boolean {
  let row: boolean[] = []
  for (let i = 0; i <= a.length; i += 1) {
    const next: boolean[] = []
    for (let j = 0; j <= b.length; j += 1) {
      const x = a[i - 1]
      const y = b[j - 1]
      const stretches = (x !== undefined && isAny(x)) || (y !== undefined && isAny(y))
      if (i === 0 && j === 0) next.push(true)
      else if (stretches) next.push(row[j] === true || next[j - 1] === true)
      else next.push(x !== undefined && y !== undefined && row[j - 1] === true && meets(x, y))
    }
    row = next
  }
  return row[b.length] === true
}
