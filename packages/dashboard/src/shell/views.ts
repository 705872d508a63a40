import type { ComponentType } from 'preact'
import type { IconName } from '../parts/icon.tsx'
import type { ViewName } from './router.ts'

interface ViewEntry {
  readonly name: ViewName
  /** First part of its address. */
  readonly path: string
  /** Second key after `g`. */
  readonly key?: string
  readonly icon?: IconName
  /** Fills the whole place and scrolls inside. */
  readonly isFlush?: boolean
  readonly load: () => Promise<ComponentType>
}

/** All views; those with a key are in the navigation. Each is a file of its own that is loaded when it is opened. */
export const VIEWS: readonly ViewEntry[] = [
  { name: 'now', path: '', key: 'n', icon: 'now', load: async () => (await import('../views/now/now-view.tsx')).NowView },
  {
    name: 'board',
    path: 'board',
    key: 'b',
    icon: 'board',
    isFlush: true,
    load: async () => (await import('../views/board/board-view.tsx')).BoardView,
  },
]

export function viewNamed(name: string): ViewEntry | undefined {
  return VIEWS.find((view) => view.name === name)
}
