import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** The width of the box that an element is in, as it changes. */
export function useWidth(element: RefObject<Element | null>): number {
  const [width, setWidth] = useState(800)
  useLayoutEffect(() => {
    const box = element.current?.parentElement
    if (box === null || box === undefined) return
    const read = (): void => setWidth(Math.max(200, box.clientWidth))
    const observer = new ResizeObserver(read)
    observer.observe(box)
    read()
    return () => observer.disconnect()
  }, [])
  return width
}
