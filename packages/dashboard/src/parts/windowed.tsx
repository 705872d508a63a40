import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Props {
  readonly count: number
  /** Height of every row. */
  readonly height: number
  readonly label: string
  readonly class?: string
  /** Scrolled to when it changes. */
  readonly shown?: number | undefined
  readonly children: (index: number) => ComponentChildren
}

/** Rows beyond the edges, so that a fast scroll shows no gap. */
const MARGIN = 6

/** A list of which only what is seen is in the document, however long it is. */
export function Windowed({ count, height, label, class: name, shown, children }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [[first, last], setRange] = useState<readonly [number, number]>([0, 20])
  const measure = (): void => {
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {}
    const from = Math.max(0, Math.floor(scrollTop / height) - MARGIN)
    const to = Math.ceil((scrollTop + clientHeight) / height) + MARGIN
    setRange((before) => (before[0] === from && before[1] === to ? before : [from, to]))
  }
  useLayoutEffect(measure, [count, height])
  useEffect(() => {
    const observer = new ResizeObserver(measure)
    if (box.current !== null) observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (shown !== undefined && shown >= 0) scrollIntoView(box.current, shown, height)
  }, [shown])
  const indexes = Array.from(
    { length: Math.max(0, Math.min(count, last) - first) },
    (_, offset) => first + offset,
  )
  return (
    <div
      ref={box}
      class={`windowed ${name ?? ''}`}
      onScroll={measure}
      tabIndex={count > 0 ? 0 : -1}
      role="list"
      aria-label={label}
    >
      <div style={{ height: `${count * height}px`, position: 'relative' }} role="presentation">
        {indexes.map((index) => (
          <div
            key={index}
            role="listitem"
            aria-setsize={count}
            aria-posinset={index + 1}
            class="windowed-row"
            style={{ transform: `translateY(${index * height}px)`, height: `${height}px` }}
          >
            {children(index)}
          </div>
        ))}
      </div>
    </div>
  )
}

function scrollIntoView(box: HTMLElement | null, index: number, height: number): void {
  if (box === null) return
  const top = index * height
  if (top < box.scrollTop) box.scrollTop = top
  else if (top + height > box.scrollTop + box.clientHeight)
    box.scrollTop = top + height - box.clientHeight
}
