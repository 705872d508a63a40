/** The word in the marks around lines of ours. */
export type Label = 'annotations' | 'snapshot' | 'sync'

/** How to restore a hook exactly, recorded in the first line of the block. */
interface Before {
  /** There was no hook. */
  readonly created: boolean
  /** Its permissions, where they had to be changed. */
  readonly mode: string | undefined
  /** Its last line did not end, and we ended it. */
  readonly openEnded: boolean
}

interface Block {
  readonly lines: readonly string[]
  readonly from: number
  readonly to: number
  readonly before: Before
}

export interface RestoredHook {
  /** Undefined if there was none. */
  readonly text: string | undefined
  readonly mode: string | undefined
}

const SHELL = /^#!.*\b(?:ba|da|z|k)?sh\b/
const START = /^# >>> waymark (\w+)( created)?(?: mode=(\d+))?( open-ended)? >>>$/

/** First and last lines of the forms that earlier versions wrote. */
const EARLIER: Readonly<Partial<Record<Label, readonly [start: RegExp, end: RegExp]>>> = {
  snapshot: [/^# waymark: snapshot hook$/, /^if \[ -d '[^']*' \]; then git add -- '[^']*'; fi$/],
  sync: [/^# waymark:begin sync/, /^# waymark:end$/],
}
/** A snapshot hook was always a file of its own. */
const EARLIER_CREATED = /: snapshot hook$|; this file was made for it$/

/** Whether lines of shell can be added to a hook. */
export function isShellScript(text: string): boolean {
  return !text.startsWith('#!') || SHELL.test(text)
}

export function hasBlock(text: string, label: Label): boolean {
  return findBlock(text, label) !== undefined
}

/**
 * Inserts a block after the first line, since the end may be unreachable, or replaces the body of the one that is there.
 * All other lines stay byte for byte.
 */
export function addBlock(
  text: string | undefined,
  { label, body, mode }: { readonly label: Label; readonly body: string; readonly mode?: string },
): string {
  const block = findBlock(text ?? '', label)
  if (block !== undefined) {
    const { lines, from, to, before } = block
    return lines.toSpliced(from, to - from + 1, ...toLines(label, before, body)).join('\n')
  }
  const openEnded = text !== undefined && text !== '' && !text.includes('\n')
  const original = text ?? '#!/bin/sh\n'
  const lines = (openEnded ? `${original}\n` : original).split('\n')
  const before = { created: text === undefined, mode, openEnded }
  return lines
    .toSpliced(original.startsWith('#!') ? 1 : 0, 0, ...toLines(label, before, body))
    .join('\n')
}

/** The original hook, without our block. */
export function removeBlock(text: string, label: Label): RestoredHook {
  const block = findBlock(text, label)
  if (block === undefined) return { text, mode: undefined }
  const { lines, from, to, before } = block
  const { created, mode, openEnded } = before
  const rest = lines.toSpliced(from, to - from + 1).join('\n')
  // Delete the hook only if we created it and nothing was added to it since.
  if (created && rest.trim() === '#!/bin/sh') return { text: undefined, mode }
  return { text: openEnded ? rest.replace(/\n$/, '') : rest, mode }
}

function findBlock(text: string, label: Label): Block | undefined {
  const lines = text.split('\n')
  const [earlierStart, earlierEnd] = EARLIER[label] ?? []
  const isStart = (line: string) =>
    START.exec(line)?.[1] === label || earlierStart?.test(line) === true
  const from = lines.findIndex(isStart)
  const first = lines[from]
  if (first === undefined) return undefined
  const end = toEnd(label)
  const isEnd = (line: string) => line === end || earlierEnd?.test(line) === true
  const to = lines.findIndex((line, index) => index > from && isEnd(line))
  if (to === -1) return undefined
  const [, , created = EARLIER_CREATED.exec(first)?.[0], mode, openEnded] = START.exec(first) ?? []
  const before = { created: created !== undefined, mode, openEnded: openEnded !== undefined }
  return { lines, from, to, before }
}

function toLines(
  label: Label,
  { created, mode, openEnded }: Before,
  body: string,
): readonly string[] {
  const facts = `${created ? ' created' : ''}${mode === undefined ? '' : ` mode=${mode}`}${openEnded ? ' open-ended' : ''}`
  return [`# >>> waymark ${label}${facts} >>>`, ...body.trimEnd().split('\n'), toEnd(label)]
}

function toEnd(label: Label): string {
  return `# <<< waymark ${label} <<<`
}
