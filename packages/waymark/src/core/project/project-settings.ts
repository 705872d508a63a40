import { Failure } from '../error.ts'
import { readSettingsFile } from '../../support/files/settings-file.ts'
import type { ProjectRule, Setting } from './setting.ts'
import { PROJECT_SETTINGS } from './settings.ts'

export type Settings = Readonly<Record<string, unknown>>

const FILE = '.waymark/config.json'
const FINGERPRINT = /^[0-9a-f]{12}$/
const MOST_SHOWN = 10
const LONGEST_SHOWN = 40

export interface ProjectSettings {
  /** As far as a project may set them. */
  readonly settings: Settings
  /** Settings that are not taken as they stand, each with the reason and the remedy. */
  readonly ignored: readonly string[]
  /** Keys that mean nothing to this version: misspelt, or settings of a newer one, so they are no error. */
  readonly unknown: readonly string[]
}

/** The settings of the project's file, limited to what a project may set. */
export function readProjectSettings(root: string): ProjectSettings {
  const settings: Record<string, unknown> = {}
  const ignored: string[] = []
  const unknown: string[] = []
  for (const [name, value] of Object.entries(readFile(root))) {
    const setting = settingOf(name)
    if (setting?.project === undefined) {
      unknown.push(name)
      continue
    }
    const taken = take(name, value, { rule: setting.project, variable: setting.env[0] ?? '' })
    if (taken.value !== undefined) settings[name] = taken.value
    if (taken.problem !== undefined) ignored.push(taken.problem)
  }
  return { settings, ignored, unknown }
}

interface Limit {
  readonly rule: ProjectRule
  /** Where the user sets it without a limit. */
  readonly variable: string
}

interface Taken {
  readonly value?: unknown
  readonly problem?: string
}

/** A value of the wrong type is passed on: the check of all settings says which type is expected. */
function take(name: string, value: unknown, { rule, variable }: Limit): Taken {
  switch (rule.kind) {
    case 'any':
      return { value }
    case 'never': {
      const instead = rule.instead.join(' and ')
      return { problem: `${name} is ignored in ${FILE}: ${rule.reason}; set ${instead} instead` }
    }
    case 'range':
      return takeInRange(name, value, { ...rule, variable })
    case 'fingerprints':
      return takeFingerprints(name, value, variable)
  }
}

function takeInRange(
  name: string,
  value: unknown,
  { least, most, variable }: { least: number; most: number; variable: string },
): Taken {
  const given = Number(value)
  const taken = Math.min(Math.max(given, least), most)
  if (!Number.isSafeInteger(given) || given <= 0 || taken === given) return { value }
  return {
    value: taken,
    problem: `${name} is ${given} in ${FILE} and taken as ${taken}, as far as a project may go; set ${variable} to go further`,
  }
}

function takeFingerprints(name: string, value: unknown, variable: string): Taken {
  if (!Array.isArray(value)) return { value }
  const entries: readonly unknown[] = value
  const isRule = (entry: unknown) => typeof entry === 'string' && !FINGERPRINT.test(entry)
  const rules = entries
    .filter(isRule)
    .slice(0, MOST_SHOWN)
    .map((rule) => shown(String(rule)))
  if (rules.length === 0) return { value }
  return {
    value: entries.filter((entry) => !isRule(entry)),
    problem: `${name}: ${rules.join(', ')} ignored in ${FILE}: a project can allow single texts by their fingerprints, not all secrets of a kind; set ${variable} instead`,
  }
}

function shown(text: string): string {
  const cut = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
  return JSON.stringify(cut)
}

function settingOf(name: string): Setting<unknown> | undefined {
  return Object.entries(PROJECT_SETTINGS).find(([known]) => known === name)?.[1]
}

function readFile(root: string): Settings {
  const text = readSettingsFile(root, FILE)
  if (text === undefined) return {}
  try {
    const settings: unknown = JSON.parse(text)
    if (typeof settings === 'object' && settings !== null && !Array.isArray(settings))
      return { ...settings }
  } catch (error) {
    throw new Failure('invalid_input', `${FILE} is not valid JSON${placeOf(error, text)}`)
  }
  throw new Failure('invalid_input', `${FILE} must hold a JSON object`)
}

/** Where the mistake is. The parser's error quotes the file, whose text belongs in no message or log. */
function placeOf(error: unknown, text: string): string {
  const { message } = error as Error
  const position = /at position (\d+)/.exec(message)?.[1]
  const at = position === undefined ? text.indexOf(quotedIn(message)) : Number(position)
  return at === -1 ? '' : ` near line ${text.slice(0, at).split('\n').length}`
}

/** `Unexpected token 'x', ..."text"... is not valid JSON` */
function quotedIn(message: string): string {
  const start = message.indexOf('"', message.indexOf("', ") + 1) + 1
  return message.slice(start, message.lastIndexOf('"'))
}
