/** Sources that hold tasks, which `task import` knows too. */
export const TASK_SOURCES = ['beads', 'task_master', 'backlog', 'lodestar'] as const

export const IMPORT_SOURCES = [...TASK_SOURCES, 'memory', 'adr', 'markdown'] as const
export type ImportSourceName = (typeof IMPORT_SOURCES)[number]

/** Other names, with `_` for `-`. */
export const SOURCE_ALIASES = {
  bd: 'beads',
  taskmaster: 'task_master',
  'backlog.md': 'backlog',
  server_memory: 'memory',
  madr: 'adr',
  md: 'markdown',
} as const satisfies Readonly<Record<string, ImportSourceName>>

export const EXPORT_FORMATS = ['beads', 'backlog'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export const FORMAT_ALIASES = {
  bd: 'beads',
  'backlog.md': 'backlog',
} as const satisfies Readonly<Record<string, ExportFormat>>

/** Whether a word names a source or a format, in any spelling. */
export function isExchangeName(verb: 'import' | 'export', word: string): boolean {
  const name = word.trim().toLowerCase().replaceAll('-', '_')
  const [names, aliases] =
    verb === 'import' ? [IMPORT_SOURCES, SOURCE_ALIASES] : [EXPORT_FORMATS, FORMAT_ALIASES]
  return names.some((known) => known === name) || Object.hasOwn(aliases, name)
}
