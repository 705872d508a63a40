import { useEffect, useState } from 'preact/hooks'
import { call } from '../../data/call.ts'
import { en } from '../../text/en.ts'
import { go, toAddress } from '../router.ts'
import type { Entry } from './entries.ts'

const PAUSE_MS = 150

/** What the engine's search adds to the titles that are in memory, a moment after the last key. */
export function useFoundTexts(text: string): readonly Entry[] {
  const [found, setFound] = useState<readonly Entry[]>([])
  useEffect(() => {
    setFound((before) => (before.length === 0 ? before : []))
    if (text.length < 3 || /^[>#@/]/.test(text)) return
    const stop = new AbortController()
    const timer = setTimeout(() => {
      search(text, stop.signal).then(setFound, () => {})
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text])
  return found
}

async function search(text: string, signal: AbortSignal): Promise<readonly Entry[]> {
  const { results } = await call('search.query', { query: text, limit: 8 }, { signal })
  return results
    .filter(({ type, number }) => type !== 'task' && number !== undefined)
    .map(({ id, number = 0, title, type }) => ({
      id: `found ${id}`,
      number,
      label: title,
      hint: `${type} · ${en.palette.found}`,
      run: () => go(toAddress('k', number)),
    }))
}
