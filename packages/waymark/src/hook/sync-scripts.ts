import { lstat, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../core/error.ts'
import { findRemotes } from '../git/config/find-place.ts'
import { readPlace } from '../git/config/git-place.ts'
import { hooksFolder } from './git-hooks.ts'
import { writeHook } from './write-hook.ts'

export const SYNC_HOOKS = ['post-merge', 'pre-push'] as const
export type SyncHook = (typeof SYNC_HOOKS)[number]

/**
 * The command of each hook for the remote that knowledge is exchanged with. A failure never stops git from merging or
 * pushing code. Git tells the second one which remote it pushes to, which may be a public fork.
 */
const COMMANDS: Readonly<Record<SyncHook, (remote: string) => string>> = {
  'post-merge': (remote) => `waymark sync --no-push -- '${remote}' ${SILENTLY}`,
  'pre-push': (remote) => `if [ "$1" = '${remote}' ]; then
    waymark sync -- '${remote}' ${SILENTLY}
  else
    echo 'waymark: knowledge goes to ${remote} only and was not sent with this push' >&2
  fi`,
}
const SILENTLY = '</dev/null >/dev/null 2>&1 || true'
/** What versions wrote that sent knowledge to whichever remote git pushed to. */
const TO_ANY_REMOTE = 'waymark sync "$1"'
/** In which no shell sees more than a word. */
const PLAIN_NAME = /^\w[\w./+-]*$/

const BEGIN = '# waymark:begin sync; removed by `waymark sync unhook`'
const MADE = `${BEGIN}; this file was made for it`
const END = '# waymark:end'
const MARKED = /^# waymark:begin sync.*/m
const SHELL = /^#!.*\b(?:sh|bash|dash|zsh|ksh)\b/

export async function installSyncHooks(root: string, remote: string): Promise<void> {
  const texts = new Map<string, string>()
  for (const [name, path] of await pathsOf(root)) {
    const text = await read(path)
    const marked = MARKED.exec(text ?? '')?.[0] ?? BEGIN
    const block = (begin: string) => blockOf(begin, COMMANDS[name](remote))
    if (text === undefined) texts.set(path, `#!/bin/sh\n${block(MADE)}`)
    else texts.set(path, withBlock(name, withoutBlock(text) ?? text, block(marked)))
  }
  for (const [path, text] of texts) {
    await write(path, text)
  }
}

/** Every byte that is not ours stays. */
export async function removeSyncHooks(root: string): Promise<void> {
  for (const [, path] of await pathsOf(root)) {
    const text = await read(path)
    const rest = text === undefined ? undefined : withoutBlock(text)
    if (rest === undefined) continue
    if (text?.includes(MADE) === true && rest === '#!/bin/sh\n') await rm(path)
    else await write(path, rest)
  }
}

export async function installedSyncHooks(root: string): Promise<SyncHook[]> {
  const installed: SyncHook[] = []
  for (const [name, path] of await pathsOf(root)) {
    if (withoutBlock((await read(path)) ?? '') !== undefined) installed.push(name)
  }
  return installed
}

/** Whether the hook for pushing is one that sends knowledge to whichever remote is pushed to. */
export async function sendsToAnyRemote(root: string): Promise<boolean> {
  const text = (await read(join(await hooksFolder(root), 'pre-push'))) ?? ''
  return withoutBlock(text) !== undefined && text.includes(TO_ANY_REMOTE)
}

/** The remote to exchange knowledge with: the one named, `origin`, or the only one. */
export async function chooseRemote(root: string, given: string | undefined): Promise<string> {
  const options = readPlace(root)
  const names: readonly string[] = options === undefined ? [] : (await findRemotes(options)).names
  const name = given ?? (names.length === 1 && names[0] !== undefined ? names[0] : 'origin')
  // Without any remote the hooks wait for the one that a clone would have.
  const isThere = names.includes(name) || (names.length === 0 && given === undefined)
  if (isThere && PLAIN_NAME.test(name)) return name
  const valid = names.filter((each) => PLAIN_NAME.test(each))
  const problem =
    valid.length === 0 ? 'this repository has none to name' : `must be one of ${valid.join(', ')}`
  throw new Failure('invalid_input', `remote: ${problem}`, {
    details: { field: 'remote', value: name.slice(0, 100), valid },
  })
}

/** A hook without our lines, or undefined if they are not there, from the first to the last. */
function withoutBlock(text: string): string | undefined {
  const lines = text.split('\n')
  const from = lines.findIndex((line) => MARKED.test(line))
  const to = lines.indexOf(END, from)
  if (from === -1 || to === -1 || to === lines.length - 1) return undefined
  return [...lines.slice(0, from), ...lines.slice(to + 1)].join('\n')
}

/** Right below the first line, because what is there may end with `exit`. */
function withBlock(name: SyncHook, text: string, block: string): string {
  const end = text.indexOf('\n') + 1
  if (!SHELL.test(text) || end === 0) {
    throw new Failure(
      'conflict',
      `the ${name} hook is not a shell script; call waymark sync from it`,
      {
        details: { reason: 'foreign_hook', hook: name },
      },
    )
  }
  return `${text.slice(0, end)}${block}${text.slice(end)}`
}

function blockOf(begin: string, command: string): string {
  return `${begin}
if command -v waymark >/dev/null 2>&1; then
  ${command}
fi
${END}
`
}

async function pathsOf(root: string): Promise<readonly (readonly [SyncHook, string])[]> {
  const folder = await hooksFolder(root)
  return SYNC_HOOKS.map((name) => [name, join(folder, name)] as const)
}

async function read(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats === undefined) return undefined
  // A symbolic link is never edited: its target may serve other repositories too.
  if (!stats.isFile()) throw new Failure('conflict', 'a hook is a link; call waymark sync from it')
  return await readFile(path, 'utf8')
}

/** A hook that was there keeps its mode: one that was switched off stays off. */
async function write(path: string, text: string): Promise<void> {
  const mode = (await stat(path).catch(() => undefined))?.mode ?? 0o755
  await writeHook(path, text, mode & 0o777)
}
