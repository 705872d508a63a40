import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { go } from '../../shell/router.ts'
import { type Commit, Writer } from './commits.tsx'
import { languageOf } from './language.ts'
import { formatLines, isWithin, type Lines } from './lines.ts'
import type { Token } from './highlight.ts'
import type { Region } from '../../acts/reason-acts.ts'
import type { ShownFile } from './source-page.tsx'

interface Props {
  readonly file: ShownFile
  readonly regions: readonly Region[]
  readonly current: number | undefined
  /** Lines that the address names. */
  readonly picked: Lines | undefined
}

/** Drawn together when they come near the screen. */
const LINES_IN_BLOCK = 100
/** The height of a line is the same for all, so that a block which is not drawn yet takes its place. */
const LINE_EM = 1.6

/** Numbered lines with a coloured edge where a reason is written down. */
export function Source({ file, regions, current, picked }: Props) {
  const tokens = useTokens(file)
  const shown = current === undefined ? undefined : regions[current]
  const commits = useMemo(
    () => new Map(file.commits?.map((commit) => [commit.commit, commit])),
    [file],
  )
  const blocks = Array.from(
    { length: Math.ceil(file.lines.length / LINES_IN_BLOCK) },
    (_, at) => at,
  )
  return (
    <pre
      class={file.blame === undefined ? 'source' : 'source blamed'}
      tabIndex={0}
      onClick={(event) => pickLine(event, picked)}
    >
      {blocks.map((at) => (
        <Block
          key={at}
          first={file.first_line + at * LINES_IN_BLOCK}
          lines={file.lines.slice(at * LINES_IN_BLOCK, (at + 1) * LINES_IN_BLOCK)}
          tokens={tokens?.slice(at * LINES_IN_BLOCK, (at + 1) * LINES_IN_BLOCK)}
          regions={regions}
          shown={shown}
          picked={picked}
          file={file}
          commits={commits}
        />
      ))}
    </pre>
  )
}

interface BlockProps {
  readonly first: number
  readonly lines: readonly string[]
  readonly tokens: readonly (readonly Token[])[] | undefined
  readonly regions: readonly Region[]
  readonly shown: Region | undefined
  readonly picked: Lines | undefined
  readonly file: ShownFile
  readonly commits: ReadonlyMap<string, Commit>
}

/** A click on the number of a line names it in the address; with Shift all lines up to it. */
function pickLine({ target, shiftKey }: MouseEvent, picked: Lines | undefined): void {
  const number = target instanceof Element ? target.closest('.line-number') : null
  const line = Number(number?.closest<HTMLElement>('[data-line]')?.dataset['line'])
  if (!(line > 0)) return
  const from = shiftKey && picked !== undefined ? picked.start : line
  const lines = { start: Math.min(from, line), end: Math.max(from, line) }
  go(formatLines(lines), { replace: true })
}

/** Away from the screen it is plain text, so that the browser still finds words in it. */
function Block({ first, lines, tokens, regions, shown, picked, file, commits }: BlockProps) {
  const box = useRef<HTMLDivElement>(null)
  const isNear = useNear(box)
  const last = first + lines.length - 1
  const near = isNear ? regions.filter((region) => overlaps(region, first, last)) : []
  const blame = isNear ? file.blame?.filter(({ start, end }) => start <= last && first <= end) : []
  return (
    <div ref={box} data-block={first} style={{ minHeight: `${lines.length * LINE_EM}em` }}>
      {isNear
        ? lines.map((line, index) => {
            const number = first + index
            const region = near.find((each) => overlaps(each, number, number))
            const isShown = shown !== undefined && overlaps(shown, number, number)
            const isPicked = picked !== undefined && isWithin(number, picked)
            const blamed = blame?.find((each) => isWithin(number, each))
            return (
              <div
                key={number}
                data-line={number}
                class={`line${region === undefined ? '' : ` edge ${region.freshness.state}`}${isShown || isPicked ? ' shown' : ''}`}
              >
                {blamed !== undefined && (
                  <Writer
                    path={file.file}
                    blamed={blamed}
                    commit={commits.get(blamed.commit ?? '')}
                    isFirst={number === Math.max(blamed.start, first)}
                  />
                )}
                <span class="line-number" aria-hidden="true">
                  {number}
                </span>
                <code>
                  {tokens?.[index]?.map(({ text, kind }, at) => (
                    <span key={at} class={kind}>
                      {text}
                    </span>
                  )) ?? line}
                  {'\n'}
                </code>
              </div>
            )
          })
        : `${lines.join('\n')}\n`}
    </div>
  )
}

function overlaps({ lines }: Region, first: number, last: number): boolean {
  return lines !== undefined && lines.start <= last && first <= lines.end
}

/** Scrolls to a line, also to one in a block that is not drawn yet. */
export function scrollToLine(place: Element | null, line: number): void {
  const blocks = [...(place?.querySelectorAll<HTMLElement>('[data-block]') ?? [])]
  const block = blocks.findLast(({ dataset }) => Number(dataset['block']) <= line)
  const drawn = block?.querySelector(`[data-line="${line}"]`)
  if (drawn !== null && drawn !== undefined) return drawn.scrollIntoView({ block: 'center' })
  block?.scrollIntoView({ block: 'start' })
  // Drawn once it is on the screen.
  if (block !== undefined) {
    new MutationObserver((_, observer) => {
      observer.disconnect()
      block.querySelector(`[data-line="${line}"]`)?.scrollIntoView({ block: 'center' })
    }).observe(block, { childList: true })
  }
}

/** Whether an element has been on the screen or nearly so. */
function useNear(box: { readonly current: Element | null }): boolean {
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    if (box.current === null || isNear) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true)
      },
      { rootMargin: '600px' },
    )
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [isNear])
  return isNear
}

/** Colours come a moment later: the highlighter and the language are loaded when they are needed. */
function useTokens({ file, lines }: ShownFile): readonly (readonly Token[])[] | undefined {
  const [tokens, setTokens] = useState<readonly (readonly Token[])[] | undefined>(undefined)
  useEffect(() => {
    let isCurrent = true
    const language = languageOf(file)
    if (language === undefined) return
    void import('./highlight.ts').then(async ({ highlight }) => {
      const coloured = await highlight(lines, language, { isWanted: () => isCurrent })
      if (isCurrent) setTokens(coloured)
    })
    return () => void (isCurrent = false)
  }, [file, lines])
  return tokens
}
