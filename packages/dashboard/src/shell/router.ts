import { computed, signal } from '@preact/signals'
import { decodePart, pageBase } from '../data/project-path.ts'

export type ViewName =
  | 'now'
  | 'board'
  | 'task'
  | 'knowledge'
  | 'graph'
  | 'code'
  | 'agents'
  | 'inbox'
  | 'activity'
  | 'health'
  | 'insight'
  | 'search'
  | 'projects'
  | 'settings'

export interface Route {
  readonly view: ViewName | 'missing'
  /** What follows the name of the view: a number, a name, a path. */
  readonly rest: string
  readonly query: URLSearchParams
  readonly hash: string
}

/** First parts of addresses; `t/61` and `k/12` are short because people type and send them. */
const VIEWS: Readonly<Record<string, ViewName>> = {
  '': 'now',
  board: 'board',
  t: 'task',
  k: 'knowledge',
  knowledge: 'knowledge',
  graph: 'graph',
  code: 'code',
  agents: 'agents',
  inbox: 'inbox',
  activity: 'activity',
  health: 'health',
  insight: 'insight',
  search: 'search',
  all: 'projects',
  settings: 'settings',
}

function parseRoute({ pathname, search, hash }: Pick<URL, 'pathname' | 'search' | 'hash'>): Route {
  const inside = pathname.slice(pageBase(pathname).length).replace(/^\/+/, '')
  const [first = '', ...others] = inside.split('/')
  return {
    view: VIEWS[first] ?? 'missing',
    rest: others.map(decodePart).join('/'),
    query: new URLSearchParams(search),
    hash: hash.slice(1),
  }
}

const address = signal(new URL(location.href))

/** What the address says: the whole state of the page. */
export const route = computed(() => parseRoute(address.value))

/** The address of something in this project: `toAddress('t', 61)`, `toAddress('code', 'src/a.ts')`. */
export function toAddress(
  first: string,
  rest: number | string = '',
  query: Record<string, string> = {},
): string {
  const parts = String(rest).split('/').map(encodeURIComponent).join('/')
  const path = [pageBase(), first, parts]
    .filter((part) => part !== '')
    .join('/')
    .replaceAll('//', '/')
  const search = new URLSearchParams(query).toString()
  return (path === '/ui' ? '/ui/' : path) + (search === '' ? '' : `?${search}`)
}

export function go(to: string, { replace = false } = {}): void {
  const url = new URL(to, location.href)
  if (replace) history.replaceState(null, '', url)
  else history.pushState(null, '', url)
  address.value = url
}

/** Changes some values of the query; an empty one is left out. */
export function setQuery(values: Readonly<Record<string, string>>): void {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(values)) {
    if (value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  go(url.href, { replace: true })
}

/** Links of the page change the address without loading it anew. */
export function startRouter(): void {
  addEventListener('popstate', () => (address.value = new URL(location.href)))
  document.addEventListener('click', (event) => {
    if (
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.defaultPrevented
    )
      return
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]')
    if (link === null || link.target !== '' || link.origin !== location.origin) return
    if (!link.pathname.startsWith('/ui')) return
    event.preventDefault()
    go(link.href)
  })
}
