/** One setting, with its key as `git config --list` prints it. */
export interface Setting {
  /** Section and name in lower case; the subsection keeps its case. */
  readonly key: string
  readonly value: string
}

/** The text is not a valid Git configuration; git refuses it as well. */
export class ConfigSyntaxError extends Error {
  readonly line: number

  constructor(line: number) {
    super(`bad config line ${line}`)
    this.line = line
  }
}

/**
 * Parses a configuration file as git does, except that includes are returned like any other setting and not followed. The
 * file is untrusted: no value is used unless its key is on an allowlist.
 */
export function parseConfig(text: string): readonly Setting[] {
  const reader = new Reader(text)
  const settings: Setting[] = []
  let section = ''
  for (;;) {
    const next = reader.skipToToken()
    if (next === undefined) return settings
    if (next === '[') section = readSection(reader)
    else settings.push(readSetting(reader, section, next))
  }
}

/** Reads characters; the end of the text counts as a line feed. */
class Reader {
  readonly #text: string
  #at: number
  #line = 1

  constructor(text: string) {
    // A carriage return is only significant if no line feed follows.
    this.#text = text.replaceAll('\r\n', '\n')
    this.#at = text.startsWith('\uFEFF') ? 1 : 0
  }

  next(): string {
    const character = this.#text[this.#at] ?? '\n'
    this.#at += 1
    if (character === '\n') this.#line += 1
    return character
  }

  /** The first character of a section or a setting; undefined at the end of the text. */
  skipToToken(): string | undefined {
    for (let isComment = false; this.#at < this.#text.length;) {
      const character = this.next()
      if (character === '\n') isComment = false
      else if (isComment || isSpace(character)) continue
      else if (character === '#' || character === ';') isComment = true
      else return character
    }
    return undefined
  }

  /** `character`: the unexpected one, which was read last. */
  bad(character?: string): ConfigSyntaxError {
    return new ConfigSyntaxError(character === '\n' ? this.#line - 1 : this.#line)
  }
}

/** `[section]`, `[section "sub"]` or the old `[section.sub]`, after its first bracket. */
function readSection(reader: Reader): string {
  let name = ''
  for (;;) {
    let character = reader.next()
    if (character === ']') return name
    if (isSpace(character)) {
      while (character !== '\n' && isSpace(character)) character = reader.next()
      if (character !== '"') throw reader.bad(character)
      return `${name}.${readSubsection(reader)}`
    }
    if (!isKeyCharacter(character) && character !== '.') throw reader.bad(character)
    name += character.toLowerCase()
  }
}

function readSubsection(reader: Reader): string {
  let name = ''
  for (;;) {
    let character = reader.next()
    if (character === '"') break
    if (character === '\\') character = reader.next()
    if (character === '\n') throw reader.bad(character)
    name += character
  }
  const end = reader.next()
  if (end !== ']') throw reader.bad(end)
  return name
}

function readSetting(reader: Reader, section: string, first: string): Setting {
  if (!/[A-Za-z]/.test(first)) throw reader.bad(first)
  let name = first
  let character = reader.next()
  for (; isKeyCharacter(character); character = reader.next()) name += character
  while (character === ' ' || character === '\t') character = reader.next()
  const key = `${section === '' ? '' : `${section}.`}${name.toLowerCase()}`
  // A name without a value means true.
  if (character === '\n') return { key, value: 'true' }
  if (character !== '=') throw reader.bad(character)
  return { key, value: readValue(reader) }
}

const ESCAPES: Readonly<Record<string, string>> = {
  t: '\t',
  b: '\b',
  n: '\n',
  '\\': '\\',
  '"': '"',
}

function readValue(reader: Reader): string {
  let value = ''
  let spaces = ''
  let isQuoted = false
  for (let isComment = false; ;) {
    const character = reader.next()
    if (character === '\n') {
      if (isQuoted) throw reader.bad(character)
      return value
    }
    if (isComment) continue
    if (isSpace(character) && !isQuoted) {
      if (value !== '') spaces += character
      continue
    }
    if ((character === '#' || character === ';') && !isQuoted) {
      isComment = true
      continue
    }
    value += spaces
    spaces = ''
    if (character === '"') isQuoted = !isQuoted
    else if (character === '\\') value += readEscape(reader)
    else value += character
  }
}

function readEscape(reader: Reader): string {
  const character = reader.next()
  // The value continues on the next line.
  if (character === '\n') return ''
  const meant = ESCAPES[character]
  if (meant === undefined) throw reader.bad(character)
  return meant
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r'
}

function isKeyCharacter(character: string): boolean {
  return (
    (character >= 'a' && character <= 'z') ||
    (character >= 'A' && character <= 'Z') ||
    (character >= '0' && character <= '9') ||
    character === '-'
  )
}
