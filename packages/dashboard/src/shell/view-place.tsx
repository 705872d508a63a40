import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Skeleton } from '../parts/loaded-view.tsx'
import { en } from '../text/en.ts'
import { route, toAddress } from './router.ts'
import { viewNamed } from './views.ts'

/** Views that were opened before appear at once. */
const loaded = new Map<string, ComponentType>()

/** The view that the address names. */
export function ViewPlace({ banner }: { readonly banner: string | undefined }) {
  const { view: name } = route.value
  const [, setLoaded] = useState(0)
  const entry = viewNamed(name)
  useEffect(() => {
    if (entry === undefined || loaded.has(name)) return
    void entry.load().then((View) => {
      loaded.set(name, View)
      setLoaded(loaded.size)
    })
  }, [name])
  const View = loaded.get(name)
  return (
    <main id="view" class={entry?.isFlush ? 'view flush' : 'view'} tabIndex={-1}>
      {banner !== undefined && (
        <p class="banner" role="status">
          {banner}
        </p>
      )}
      {entry === undefined ? <Missing /> : View === undefined ? <Skeleton /> : <View />}
    </main>
  )
}

function Missing() {
  return (
    <div class="empty">
      <p>{en.views.missing}</p>
      <a href={toAddress('')}>{en.views.now}</a>
    </div>
  )
}
