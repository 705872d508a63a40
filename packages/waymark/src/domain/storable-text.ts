/** Characters that come back altered from a database, each replaced by the visible replacement character. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

export function firstCharacters(text: string, most: number): string {
  // A character has at most two units, so most texts need not be taken apart.
  return text.length <= most ? text : Array.from(text).slice(0, most).join('')
}
