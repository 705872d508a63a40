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
  {
    name: 'now',
    path: '',
    key: 'n',
    icon: 'now',
    load: async () => (await import('../views/now/now-view.tsx')).NowView,
  },
  {
    name: 'board',
    path: 'board',
    key: 'b',
    icon: 'board',
    isFlush: true,
    load: async () => (await import('../views/board/board-view.tsx')).BoardView,
  },
  {
    name: 'agents',
    path: 'agents',
    key: 'a',
    icon: 'agents',
    load: async () => (await import('../views/agents/agents-view.tsx')).AgentsView,
  },
  {
    name: 'inbox',
    path: 'inbox',
    key: 'i',
    icon: 'inbox',
    load: async () => (await import('../views/inbox/inbox-view.tsx')).InboxView,
  },
  {
    name: 'activity',
    path: 'activity',
    key: 'e',
    icon: 'activity',
    load: async () => (await import('../views/activity/activity-view.tsx')).ActivityView,
  },
  {
    name: 'knowledge',
    path: 'knowledge',
    key: 'k',
    icon: 'knowledge',
    load: async () => (await import('../views/knowledge/knowledge-view.tsx')).KnowledgeView,
  },
  {
    name: 'graph',
    path: 'graph',
    key: 'g',
    icon: 'graph',
    load: async () => (await import('../views/graph/graph-view.tsx')).GraphView,
  },
  {
    name: 'code',
    path: 'code',
    key: 'c',
    icon: 'code',
    load: async () => (await import('../views/code/code-view.tsx')).CodeView,
  },
  {
    name: 'insight',
    path: 'insight',
    key: 't',
    icon: 'insight',
    load: async () => (await import('../views/insight/insight-view.tsx')).InsightView,
  },
  {
    name: 'health',
    path: 'health',
    key: 'h',
    icon: 'health',
    load: async () => (await import('../views/health/health-view.tsx')).HealthView,
  },
  {
    name: 'search',
    path: 'search',
    key: 's',
    icon: 'search',
    load: async () => (await import('../views/search/search-view.tsx')).SearchView,
  },
  {
    name: 'task',
    path: 't',
    load: async () => (await import('../views/task/task-view.tsx')).TaskView,
  },
  {
    name: 'projects',
    path: 'all',
    load: async () => (await import('../views/projects/projects-view.tsx')).ProjectsView,
  },
  {
    name: 'settings',
    path: 'settings',
    load: async () => (await import('../views/settings/settings-view.tsx')).SettingsView,
  },
]

export function viewNamed(name: string): ViewEntry | undefined {
  return VIEWS.find((view) => view.name === name)
}
