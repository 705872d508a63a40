import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** A part that the first picture does not need: its file is loaded once the rest is on the screen. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let known: ComponentType<Props> | undefined
  return function Later(props: Props) {
    const [Part, setPart] = useState(() => known)
    useEffect(() => {
      if (known !== undefined) return
      void load().then((part) => {
        known = part
        setPart(() => part)
      })
    }, [])
    return Part === undefined ? null : <Part {...props} />
  }
}
