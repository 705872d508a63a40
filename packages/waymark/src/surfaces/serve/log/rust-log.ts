import type { Environment } from '../../../core/project/setting.ts'
import { LOG_LEVELS, type LogLevel } from '../../../support/logger.ts'

/** The environment with the level that `RUST_LOG` has for a target, unless a variable of ours sets one. */
export function withRustLog(env: Environment, target: string): Environment {
  const level = levelFor(env['RUST_LOG'] ?? '', target)
  return level === undefined
    ? env
    : { ...env, MEDULLA_LOG_LEVEL: env['MEDULLA_LOG_LEVEL'] || level }
}

/**
 * Directives such as `warn,medulla=debug`: a level for all, and levels by prefix of the target, of which the longest
 * applies. A target alone turns all of it on. Directives for spans and unreadable ones are skipped, as Rust does.
 */
function levelFor(directives: string, target: string): LogLevel | undefined {
  let found: { readonly prefix: string; readonly level: LogLevel } | undefined
  for (const directive of directives.split(',')) {
    const { prefix, level } = parseDirective(directive.trim())
    if (level === undefined || !target.startsWith(prefix)) continue
    if (found === undefined || prefix.length >= found.prefix.length) found = { prefix, level }
  }
  return found?.level
}

interface Directive {
  readonly prefix: string
  readonly level: LogLevel | undefined
}

function parseDirective(text: string): Directive {
  const [, name = '', word] = /^([\w:.-]*)(?:=(\w+))?$/.exec(text) ?? []
  if (word !== undefined) return { prefix: name, level: toLevel(word) }
  const level = toLevel(name)
  if (level !== undefined || name === '') return { prefix: '', level }
  return { prefix: name, level: 'trace' }
}

/** Numbers are levels too: 0 is off, and 5 is trace. */
function toLevel(word: string): LogLevel | undefined {
  if (/^[0-5]$/.test(word)) return LOG_LEVELS.at(-1 - Number(word))
  return LOG_LEVELS.find((level) => level === word.toLowerCase())
}
