import { useEffect, useRef, useState } from 'preact/hooks'
import { onEvent } from '../data/live/refresh.ts'

export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: Error; readonly again: () => void }
  | { readonly state: 'ready'; readonly value: T; readonly again: () => void }

interface LoadOptions {
  /** Whether an event concerns what was loaded. `*` is the type when everything was loaded anew. */
  readonly when?: (type: string, subject: string | undefined) => boolean
}

/** Events come in bursts; one loading follows all of them. */
const QUIET_MS = 300

/** Loads what a view shows, when `key` changes or an event concerns it. The old value stays until the new one is there. */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  key: string,
  { when }: LoadOptions = {},
): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' })
  const [round, setRound] = useState(0)
  const latest = useRef({ load, when })
  latest.current = { load, when }
  const again = (): void => setRound((before) => before + 1)
  useEffect(() => setLoaded({ state: 'loading' }), [key])
  useEffect(() => {
    const stop = new AbortController()
    latest.current.load(stop.signal).then(
      (value) => !stop.signal.aborted && setLoaded({ state: 'ready', value, again }),
      (error: Error) => !stop.signal.aborted && setLoaded({ state: 'failed', error, again }),
    )
    return () => stop.abort()
  }, [key, round])
  useEffect(() => {
    let timer = 0
    const stop = onEvent((type, subject) => {
      if (latest.current.when?.(type, subject) !== true) return
      clearTimeout(timer)
      timer = setTimeout(again, QUIET_MS)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [key])
  return loaded
}
