import highlighter from 'highlight.js/lib/core'
import type { LanguageFn } from 'highlight.js'

/** A piece of a line with its class. */
export interface Token {
  readonly text: string
  readonly kind: string
}

/** One file for each language, loaded when the first source of it is shown. */
const LANGUAGES: Readonly<Record<string, () => Promise<{ default: LanguageFn }>>> = {
  typescript: () => import('highlight.js/lib/languages/typescript'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  python: () => import('highlight.js/lib/languages/python'),
  go: () => import('highlight.js/lib/languages/go'),
  rust: () => import('highlight.js/lib/languages/rust'),
  java: () => import('highlight.js/lib/languages/java'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  php: () => import('highlight.js/lib/languages/php'),
  bash: () => import('highlight.js/lib/languages/bash'),
  css: () => import('highlight.js/lib/languages/css'),
  xml: () => import('highlight.js/lib/languages/xml'),
  json: () => import('highlight.js/lib/languages/json'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  sql: () => import('highlight.js/lib/languages/sql'),
}

/** They take a few milliseconds; the page answers in between. */
const LINES_AT_ONCE = 400

interface Options {
  readonly linesAtOnce?: number
  /** Whether the result is still needed. */
  readonly isWanted?: () => boolean
}

/** Lines of tokens. The highlighter's HTML is never used: its tree becomes text nodes with classes. */
export async function highlight(
  lines: readonly string[],
  language: string,
  { linesAtOnce = LINES_AT_ONCE, isWanted = () => true }: Options = {},
): Promise<readonly (readonly Token[])[]> {
  const load = LANGUAGES[language]
  if (load === undefined) return []
  if (highlighter.getLanguage(language) === undefined)
    highlighter.registerLanguage(language, (await load()).default)
  const done: (readonly Token[])[] = []
  for (let size = linesAtOnce; done.length < lines.length && isWanted();) {
    const part = lines.slice(done.length, done.length + size)
    const source = part.map((line) => `${line}\n`).join('')
    const { _emitter, _top } = highlighter.highlight(source, { language, ignoreIllegals: true })
    const isLast = done.length + size >= lines.length
    // Within a comment or a text of several lines it cannot go on from here.
    if (!isLast && _top !== undefined && 'parent' in _top) size *= 2
    else {
      const { rootNode } = _emitter as unknown as { readonly rootNode: TreeNode }
      done.push(...toLines(rootNode).slice(0, part.length))
      size = linesAtOnce
    }
    await new Promise((resolve) => setTimeout(resolve))
  }
  return done
}

interface TreeNode {
  readonly scope?: string
  readonly children: readonly (TreeNode | string)[]
}

function toLines(root: TreeNode): readonly (readonly Token[])[] {
  const lines: Token[][] = [[]]
  const walk = (node: TreeNode, kind: string): void => {
    for (const child of node.children) {
      if (typeof child !== 'string')
        walk(child, child.scope === undefined ? kind : `code-${child.scope.split('.')[0]}`)
      else
        for (const [index, text] of child.split('\n').entries()) {
          if (index > 0) lines.push([])
          if (text !== '') lines.at(-1)?.push({ text, kind })
        }
    }
  }
  walk(root, '')
  return lines
}
