import { useEffect, useState } from 'preact/hooks'
import { languageOf } from './language.ts'
import type { Token } from './highlight.ts'
import type { Region, ShownFile } from './source-page.tsx'

interface Props {
  readonly file: ShownFile
  readonly regions: readonly Region[]
  readonly current: number | undefined
}

/** Numbered lines with a coloured edge where a reason is written down. */
export function Source({ file, regions, current }: Props) {
  const tokens = useTokens(file)
  const shown = current === undefined ? undefined : regions[current]
  return (
    <pre class="source" tabIndex={0}>
      {file.lines.map((line, index) => {
        const number = file.first_line + index
        const region = regions.find(
          ({ lines }) => lines !== undefined && number >= lines.start && number <= lines.end,
        )
        const isShown =
          shown?.lines !== undefined && number >= shown.lines.start && number <= shown.lines.end
        return (
          <div
            key={number}
            data-line={number}
            class={`line${region === undefined ? '' : ` edge ${region.freshness.state}`}${isShown ? ' shown' : ''}`}
          >
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
      })}
    </pre>
  )
}

/** Colours come a moment later: the highlighter and the language are loaded when they are needed. */
function useTokens({ file, lines }: ShownFile): readonly (readonly Token[])[] | undefined {
  const [tokens, setTokens] = useState<readonly (readonly Token[])[] | undefined>(undefined)
  useEffect(() => {
    let isCurrent = true
    const language = languageOf(file)
    if (language === undefined) return
    void import('./highlight.ts').then(async ({ highlight }) => {
      const coloured = await highlight(lines.join('\n'), language)
      if (isCurrent) setTokens(coloured)
    })
    return () => void (isCurrent = false)
  }, [file, lines])
  return tokens
}
