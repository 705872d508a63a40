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

/** Lines of tokens. The highlighter's HTML is never used: its tree becomes text nodes with classes. */
export async function highlight(
  source: string,
  language: string,
): Promise<readonly (readonly Token[])[]> {
  const load = LANGUAGES[language]
  if (load === undefined) return []
  if (highlighter.getLanguage(language) === undefined)
    highlighter.registerLanguage(language, (await load()).default)
  const { _emitter } = highlighter.highlight(source, { language, ignoreIllegals: true })
  const { rootNode } = _emitter as unknown as { readonly rootNode: TreeNode }
  return toLines(rootNode)
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
