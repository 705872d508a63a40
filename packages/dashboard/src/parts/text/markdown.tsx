import { useEffect, useRef, useState } from 'preact/hooks'
import { knowledgeWords } from '../../text/view/knowledge.ts'

/** Longer texts are cut until they are asked for. */
const LONGEST = 200_000

/** Markdown that an agent or a person wrote. The renderer is loaded when the first text is shown; until then it is plain. */
export function Markdown({ text }: { readonly text: string }) {
  const place = useRef<HTMLDivElement>(null)
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? text : text.slice(0, LONGEST)
  useEffect(() => {
    let isCurrent = true
    void import('./markdown-renderer.ts').then(({ toFragment }) => {
      if (isCurrent) place.current?.replaceChildren(toFragment(shown))
    })
    return () => void (isCurrent = false)
  }, [shown])
  return (
    <>
      <div ref={place} class="markdown">
        <p class="plain-text">{shown}</p>
      </div>
      {shown.length < text.length && (
        <button type="button" onClick={() => setWhole(true)}>
          {knowledgeWords.showAll}
        </button>
      )}
    </>
  )
}
