import type { DialectApps } from '../../dialect.ts'
import { listedTools } from '../../listed-tools.ts'
import listed from './tools.generated.json' with { type: 'json' }

/** The file of each view, by its address. */
const APP_PAGES = {
  'ui://waymark/board': 'board.html',
  'ui://waymark/brief': 'brief.html',
  'ui://waymark/why': 'why.html',
} as const
export type AppAddress = keyof typeof APP_PAGES

export const APPS: DialectApps = {
  listed: listedTools(listed),
  loadTools: async () => (await import('./tools.ts')).loadAppTools(),
  pages: APP_PAGES,
}
