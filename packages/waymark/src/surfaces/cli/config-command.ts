import { resolve } from 'node:path'
import { type Config, ignoredSettings, loadConfig } from '../../core/project/config.ts'
import { locateProject } from '../../core/project/locate-project.ts'
import { readProjectSettings } from '../../core/project/project-settings.ts'
import { type Setting, sourceOf } from '../../core/project/setting.ts'
import { EMBEDDING_SETTINGS, PROJECT_SETTINGS } from '../../core/project/settings.ts'
import { type Column, counted, table } from '../../core/show.ts'
import type { GlobalOptions } from '../run-operation.ts'
import { plain } from '../terminal/escape.ts'
import { print } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** One setting as it is in force. */
interface ShownSetting {
  readonly name: string
  readonly value: string | number | null
  /** The flag, the variable, the project's file, or `default`. */
  readonly source: string
}

const COLUMNS: readonly Column<ShownSetting>[] = [
  { head: 'SETTING', value: ({ name }) => name },
  { head: 'VALUE', value: ({ value }) => value ?? '-' },
  { head: 'FROM', value: ({ source }) => source },
]

/** Prints the settings in force in a folder, and where each comes from. */
export async function configCommand(options: GlobalOptions, terminal: Terminal): Promise<number> {
  const root = locateProject(resolve(options.directory ?? terminal.cwd))?.root
  const config = loadConfig(root, terminal.env, { actor: options.actor })
  const file = root === undefined ? {} : readProjectSettings(root).settings
  const settings = Object.entries<Setting<unknown>>(PROJECT_SETTINGS).map(
    ([name, setting]): ShownSetting => {
      const [variable] = EMBEDDING_SETTINGS.embeddingUrl.env
      const flag = name === 'actor' ? options.actor : undefined
      const sources = { env: terminal.env, file: file[name], flag }
      const isModel = name === 'embedding' && config.embedding !== undefined
      return {
        name,
        value: valueOf(name, config),
        source: isModel ? variable : (sourceOf(setting, sources) ?? 'default'),
      }
    },
  )
  if (options.json === true) {
    terminal.out(`${JSON.stringify({ settings })}\n`)
    return 0
  }
  terminal.out(await print([table(settings, COLUMNS)], terminal))
  const ignored = root === undefined ? [] : ignoredSettings(root)
  for (const message of ignored) terminal.err(`warning: ${plain(message)}\n`)
  return 0
}

/** Credentials are not shown: neither those in an address nor the fingerprints of secrets. */
function valueOf(
  name: string,
  { embedding, allowedSecrets, ...others }: Config,
): ShownSetting['value'] {
  if (name === 'embedding')
    return embedding === undefined ? null : `${embedding.model} at ${new URL(embedding.url).host}`
  if (name === 'allowedSecrets') return counted(allowedSecrets.size, 'fingerprint')
  const values: Readonly<Record<string, string | number>> = others
  return values[name] ?? null
}
