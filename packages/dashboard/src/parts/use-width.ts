import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** The width of the box that an element is in, as it changes. Wider ones than the most are alike, and draw nothing again. */
export function useWidth(element: RefObject<Element | null>, most = Infinity): number {
  const [width, setWidth] = useState(Math.min(800, most))
  useLayoutEffect(() => {
    const box = element.current?.parentElement
    if (box === null || box === undefined) return
    const read = (): void => setWidth(Math.min(Math.max(200, box.clientWidth), most))
    const observer = new ResizeObserver(read)
    observer.observe(box)
    read()
    return () => observer.disconnect()
  }, [])
  return width
}
