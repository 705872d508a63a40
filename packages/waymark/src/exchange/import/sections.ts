/** A heading of Markdown with the text below it, up to the next heading. */
export interface Section {
  readonly level: number
  readonly title: string
  readonly text: string
}

export interface Outline {
  /** What stands before the first heading, the title left out. */
  readonly intro: string
  /** The first heading of the first level. */
  readonly title?: string
  readonly sections: readonly Section[]
}

const HEADING = /^(#{1,6})[ \t](.*)$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** The parts of a Markdown text. */
export function toOutline(markdown: string): Outline {
  const parts: { level: number; title: string; lines: string[] }[] = []
  const intro: string[] = []
  let title: string | undefined
  for (const { line, level, words } of linesOf(markdown.replaceAll('\r\n', '\n'))) {
    if (level === 0) (parts.at(-1)?.lines ?? intro).push(line)
    else if (level === 1 && title === undefined && parts.length === 0) title = words
    else parts.push({ level, title: words, lines: [] })
  }
  return {
    intro: intro.join('\n').trim(),
    ...(title !== undefined && title !== '' && { title }),
    sections: parts.map(({ lines, ...part }) => ({ ...part, text: lines.join('\n').trim() })),
  }
}

/** A text up to its first heading of the first two levels, and the rest. */
export function splitAtHeading(markdown: string): readonly [string, string] {
  for (const { level, at } of linesOf(markdown)) {
    if (level === 1 || level === 2) return [markdown.slice(0, at).trim(), markdown.slice(at).trim()]
  }
  return [markdown.trim(), '']
}

/** Each line and where it begins, with level and words of a heading. One inside a code fence is none: its level is 0. */
function* linesOf(markdown: string) {
  let fence: string | undefined
  let at = 0
  for (const line of markdown.split('\n')) {
    const [, mark] = FENCE.exec(line) ?? []
    const [, hashes = '', rest = ''] = (fence === undefined && HEADING.exec(line)) || []
    if (mark !== undefined && fence === undefined) fence = mark
    else if (mark !== undefined && isEndOf(fence, mark, line)) fence = undefined
    yield { line, at, level: hashes.length, words: withoutClosing(rest) }
    at += line.length + 1
  }
}

/** A heading may end with hashes, which do not count. */
function withoutClosing(rest: string): string {
  const words = rest.trim()
  let end = words.length
  while (words[end - 1] === '#') end -= 1
  return /[ \t]/.test(words[end - 1] ?? '') ? words.slice(0, end).trim() : words
}

function isEndOf(fence: string | undefined, mark: string, line: string): boolean {
  return fence !== undefined && mark.startsWith(fence) && line.trim() === mark
}

export function toMarkdown({ level, title, text }: Section): string {
  return [`${'#'.repeat(level)} ${title}`, text].filter((part) => part !== '').join('\n\n')
}

/** The targets of links to Markdown files, without anchors. */
export function linkedFiles(markdown: string): readonly string[] {
  const links = markdown.matchAll(/\]\(<?([^()\s<>#]{1,500}\.md)(?:#[^()\s<>]{0,500})?>?[)\s]/gi)
  return [...links].flatMap(([, target = '']) => {
    // A link with a scheme leads elsewhere.
    if (/^[a-z][a-z\d+.-]*:/i.test(target)) return []
    try {
      return [decodeURIComponent(target)]
    } catch {
      return []
    }
  })
}

/** The items of lists and the paragraphs between them, each on one line. */
export function toItems(markdown: string): readonly string[] {
  const items: string[] = []
  let isOpen = false
  for (const line of markdown.split('\n')) {
    const [, item] = /^(?:[-*+]|\d{1,9}[.)])[ \t](.*)$/.exec(line.trimStart()) ?? []
    const words = (item ?? line).trim()
    if (item === undefined && isOpen && words !== '') items.push(`${items.pop() ?? ''} ${words}`)
    else if (words !== '') items.push(words)
    isOpen = words !== ''
  }
  return items
}

/** The YAML and the Markdown of a file, or undefined if it is not of this form. */
export function splitMatter(source: string): { matter: string; body: string } | undefined {
  const match = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/.exec(source)
  if (match === null) return undefined
  return { matter: match[1] ?? '', body: source.slice(match[0].length) }
}
