import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { PROGRAM_KEYS } from './program-keys.ts'

/** What a dot in a regular expression does not match, as far as Git allows it in a subsection. */
export const UNDOTTED = ['\r', '\u2028', '\u2029']

export interface Planted {
  /** A script that leaves a trace and fails. */
  readonly program: string
  /** How it was called, once for each time; empty as long as it has not run. */
  calls(this: void): string
  forget(this: void): void
}

/** Puts a program into the Git folder of a repository, and a folder of hooks beside it, as an archive can. */
export function plantProgram(gitDir: string, name = 'planted'): Planted {
  const program = join(gitDir, name)
  const canary = `${program}.calls`
  const script = `#!/bin/sh\necho "$0 $*" >> '${canary}'\nexit 1\n`
  writeExecutable(program, script)
  plantHooks(`${program}.hooks`, script)
  return {
    program,
    calls: () => (existsSync(canary) ? readFileSync(canary, 'utf8') : ''),
    forget: () => rmSync(canary, { force: true }),
  }
}

/** A bare repository in a folder of that name in another one's Git folder, each of whose hooks leaves a trace. */
export function plantRepository(gitDir: string, name = 'evil.git'): Planted {
  const inner = join(gitDir, name)
  execFileSync('git', ['init', '--quiet', '--bare', inner])
  const { program, ...planted } = plantProgram(gitDir, `${name}.hook`)
  plantHooks(join(inner, 'hooks'), readFileSync(program, 'utf8'))
  return { ...planted, program: inner }
}

const HOOKS = [
  'post-checkout',
  'post-commit',
  'post-receive',
  'post-update',
  'pre-push',
  'pre-receive',
  'reference-transaction',
  'update',
]

function plantHooks(folder: string, script: string): void {
  mkdirSync(folder, { recursive: true })
  for (const hook of HOOKS) writeExecutable(join(folder, hook), script)
}

function writeExecutable(path: string, text: string): void {
  writeFileSync(path, text)
  chmodSync(path, 0o755)
}

/** A key of a configuration, in its parts. */
export interface PlantedSetting {
  readonly section: string
  readonly subsection?: string
  readonly name: string
  readonly value: string
}

/** Written by hand: `git config` would refuse some of it. */
export function toConfigText(settings: readonly PlantedSetting[]): string {
  const escape = (text: string) => text.replaceAll(/["\\]/g, '\\$&')
  const lines = settings.map(({ section, subsection, name, value }) => {
    const header = subsection === undefined ? section : `${section} "${escape(subsection)}"`
    return `[${header}]\n\t${name} = "${escape(value)}"\n`
  })
  return lines.join('')
}

/** Every way in which a Git folder can hold a setting. */
export const WAYS: Readonly<
  Record<string, (gitDir: string, settings: readonly PlantedSetting[]) => void>
> = {
  'written as usual': (gitDir, settings) => addConfig(gitDir, toConfigText(settings)),
  'written in mixed case': (gitDir, settings) =>
    addConfig(
      gitDir,
      toConfigText(
        settings.map((setting) => ({
          ...setting,
          section: inMixedCase(setting.section),
          name: inMixedCase(setting.name),
        })),
      ),
    ),
  'in a file that is included': (gitDir, settings) => {
    writeFileSync(join(gitDir, 'more'), toConfigText(settings))
    addConfig(gitDir, '[include]\n\tpath = more\n')
  },
  'in a file that is included on a condition': (gitDir, settings) => {
    writeFileSync(join(gitDir, 'more'), toConfigText(settings))
    addConfig(gitDir, '[includeIf "gitdir:**"]\n\tpath = more\n')
  },
  'in the configuration of a worktree': (gitDir, settings) => {
    appendFileSync(join(gitDir, 'config.worktree'), toConfigText(settings))
    addConfig(gitDir, '[extensions]\n\tworktreeConfig = true\n')
  },
}

function addConfig(gitDir: string, text: string): void {
  appendFileSync(join(gitDir, 'config'), text)
}

function inMixedCase(text: string): string {
  return text.replaceAll(/../g, ([one = '', two = '']) => one.toUpperCase() + two.toLowerCase())
}

/** Commands that aliases and pagers are planted for; the others are named in sections. */
const COMMANDS = ['blame', 'cat-file', 'config', 'fetch', 'log', 'push', 'rev-list', 'update-ref']
const NAMES = [
  'planted',
  'origin',
  'gitdir:**',
  'https://example.com',
  ...UNDOTTED.map((dot) => `a${dot}b`),
]

/** All settings that git knows by name, each as a program where a program fits, with every name that can be chosen. */
export function allSettings(program: string): readonly PlantedSetting[] {
  const known = new Map(PROGRAM_KEYS.map(({ key, value }) => [key, value?.(program) ?? program]))
  const listed = execFileSync('git', ['help', '--config'], { encoding: 'utf8' })
  for (const line of listed.split('\n')) {
    const key = line.replaceAll(/<[^>]*>/g, '*')
    // How a repository is stored is not a matter of choice, nor where its remotes are here.
    const isLeftOut =
      /^(?:core\.repositoryFormatVersion|extensions\..*|remote\.\*\.(?:push)?url)$/i.test(key)
    if (/^[A-Za-z0-9.*-]+$/.test(key) && !isLeftOut && !known.has(key)) known.set(key, program)
  }
  return [...known].flatMap(([key, value]) => expand(key).map((setting) => ({ ...setting, value })))
}

/** A key with the names that can stand for its star. */
export function expand(key: string): readonly Omit<PlantedSetting, 'value'>[] {
  const [section = '', ...rest] = key.split('.')
  const name = rest.pop() ?? ''
  const subsection = rest.join('.')
  if (name === '*') return COMMANDS.map((command) => ({ section, name: command }))
  if (subsection.includes('*'))
    return NAMES.map((chosen) => ({ section, subsection: chosen, name }))
  return [{ section, name, ...(subsection !== '' && { subsection }) }]
}

/** Attributes that make git look for the drivers and filters of these names. */
export const ATTRIBUTES = [
  '* diff=planted filter=planted merge=planted',
  ...UNDOTTED.slice(1).map((dot, at) => `*.${at} diff=a${dot}b filter=a${dot}b merge=a${dot}b`),
  '',
].join('\n')
