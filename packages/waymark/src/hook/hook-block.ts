/** What is needed to put a hook back exactly as it was. */
interface Before {
  /** There was no hook. */
  readonly created: boolean
  /** Its permissions, where they had to be changed. */
  readonly mode: string | undefined
  /** Its last line did not end, and we ended it. */
  readonly openEnded: boolean
}

export interface RestoredHook {
  /** Undefined if there was none. */
  readonly text: string | undefined
  readonly mode: string | undefined
}

const SHELL = /^#!.*\b(?:ba|da|z|k)?sh\b/
const START = /^# >>> waymark annotations(?: created)?(?: mode=\d+)?(?: open-ended)? >>>$/
const END = '# <<< waymark annotations <<<'

/** Whether lines of shell can be added to a hook. */
export function isShellScript(text: string): boolean {
  return !text.startsWith('#!') || SHELL.test(text)
}

export function hasBlock(text: string): boolean {
  return text.split('\n').some((line) => START.test(line))
}

/**
 * Inserts our block after the first line: at the end it might be unreachable. Everything else stays byte for byte, and the
 * first line of the block records other changes.
 */
export function addBlock(text: string | undefined, body: string, mode?: string): string {
  const openEnded = text !== undefined && text !== '' && !text.includes('\n')
  const original = text ?? '#!/bin/sh\n'
  const lines = (openEnded ? `${original}\n` : original).split('\n')
  const first = original.startsWith('#!') ? lines.slice(0, 1) : []
  const start = toStart({ created: text === undefined, mode, openEnded })
  return [...first, start, ...body.trimEnd().split('\n'), END, ...lines.slice(first.length)].join(
    '\n',
  )
}

/** Replaces the body of our block; its first line, which records other changes, stays. */
export function renewBlock(text: string, body: string): string {
  const { lines, from, to } = findBlock(text)
  if (from === -1 || to === -1) return text
  return lines.toSpliced(from + 1, to - from - 1, ...body.trimEnd().split('\n')).join('\n')
}

/** The original hook, without our block. */
export function removeBlock(text: string): RestoredHook {
  const { lines, from, to } = findBlock(text)
  if (from === -1 || to === -1) return { text, mode: undefined }
  const { created, mode, openEnded } = parseStart(lines[from] ?? '')
  const rest = [...lines.slice(0, from), ...lines.slice(to + 1)].join('\n')
  // Delete the hook only if we created it and nothing was added to it since.
  if (created && rest.trim() === '#!/bin/sh') return { text: undefined, mode }
  return { text: openEnded ? rest.replace(/\n$/, '') : rest, mode }
}

function findBlock(text: string): { lines: readonly string[]; from: number; to: number } {
  const lines = text.split('\n')
  const from = lines.findIndex((line) => START.test(line))
  return { lines, from, to: lines.indexOf(END, from) }
}

function toStart({ created, mode, openEnded }: Before): string {
  const facts = [
    ...(created ? ['created'] : []),
    ...(mode === undefined ? [] : [`mode=${mode}`]),
    ...(openEnded ? ['open-ended'] : []),
  ]
  return ['# >>> waymark annotations', ...facts, '>>>'].join(' ')
}

function parseStart(line: string): Before {
  return {
    created: line.includes(' created '),
    mode: / mode=(\d+) /.exec(line)?.[1],
    openEnded: line.includes(' open-ended '),
  }
}
