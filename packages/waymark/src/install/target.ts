import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../core/error.ts'
import type { Edit } from './format/edit.ts'
import type { FormatName } from './format/formats.ts'
import { type Files, type Host, type Scope, SERVER_NAME, type Server } from './hosts/host.ts'
import type { HookLine } from './hosts/hooks.ts'
import { INSTRUCTIONS, instructionsFile } from './instructions.ts'
import type { Part } from './ledger/ledger.ts'
import { type Machine, toPath } from './machine/machine.ts'
import { joinWords, type Program } from './machine/program.ts'

/** A part of what a host needs, and the file it goes into. */
export interface Target {
  readonly host: Host
  readonly part: Part['part']
  readonly path: string
  readonly format: FormatName
  readonly edits: readonly Edit[]
}

/** What to install: machine, scope, project and command. */
export interface Wish {
  readonly machine: Machine
  readonly scope: Scope
  /** The project's folder; undefined outside of one. */
  readonly root: string | undefined
  readonly program: Program
  /** Options for `waymark serve`. */
  readonly serveOptions: readonly string[]
  /** An address instead of a command. */
  readonly http?: { readonly url: string; readonly tokenVariable: string } | undefined
}

/** None for a part that the host does not support, such as instructions or hooks. */
export function targetsOf(host: Host, part: Part['part'], wish: Wish): readonly Target[] {
  switch (part) {
    case 'server':
      return [serverTarget(host, wish)]
    case 'hook':
      return hookTargets(host, wish)
    case 'instructions':
      return instructionsTargets(host, wish)
  }
}

function serverTarget(host: Host, wish: Wish): Target {
  const path = locate(host.files, wish)
  if (path === undefined) throw noFile(host, wish.scope)
  const defaults = Object.entries(host.defaults ?? {}).map(([key, value]): Edit => {
    return { kind: 'default', path: [key], value }
  })
  const edits = [...defaults, serverEdit(host, entryOf(host, wish))]
  return { host, part: 'server', path, format: host.format, edits }
}

/** The place of our entry in the host's file. */
export function serverEdit({ key, isListed }: Host, value: Edit['value']): Edit {
  return { kind: 'entry', path: [key, SERVER_NAME], value, ...(isListed === true && { isListed }) }
}

function hookTargets(host: Host, wish: Wish): readonly Target[] {
  const { hook } = host
  const path = hook === undefined ? undefined : locate(hook.files, wish)
  if (hook === undefined || path === undefined) return []
  const { words } = wish.program
  const line: HookLine = (event) =>
    joinWords([...words, 'hook', event, '--host', hook.dialect], wish.machine)
  const part = 'hook'
  if (hook.edits !== undefined)
    return [{ host, part, path, format: 'json', edits: hook.edits(line) }]
  const { contents, plugin } = hook
  return [{ files: hook.files, contents }, plugin].flatMap((written) => {
    const folder = written === undefined ? undefined : locate(written.files, wish)
    if (folder === undefined) return []
    const texts = written?.contents?.({ line, words, platform: wish.machine.platform }) ?? {}
    return Object.entries(texts).map(([name, value]): Target => {
      const edits: readonly Edit[] = [{ kind: 'entry', path: [], value }]
      return { host, part, path: join(folder, name), format: 'file', edits }
    })
  })
}

function instructionsTargets(host: Host, { machine, scope, root }: Wish): readonly Target[] {
  const { project, global } = host.instructions ?? {}
  const toTarget = (path: string): Target => {
    const edits: Edit[] = [{ kind: 'section', path: [], value: INSTRUCTIONS[scope] }]
    return { host, part: 'instructions', path, format: 'section', edits }
  }
  if (scope === 'global') return global === undefined ? [] : [toTarget(toPath(machine, global))]
  if (project === undefined || root === undefined) return []
  const file = instructionsFile(project, (name) => join(root, name), root)
  return [toTarget(join(root, file))]
}

/** The entry for this host. */
export function entryOf(host: Host, wish: Wish): Edit['value'] {
  const server = serverOf(host, wish)
  if (server.kind === 'stdio') return host.stdio(server)
  if (host.http !== undefined) return host.http(server, wish.scope)
  throw new Failure('invalid_input', `${host.title} cannot be given an HTTP server in its file`)
}

function serverOf(host: Host, wish: Wish): Server {
  if (wish.http !== undefined) return { kind: 'http', ...wish.http }
  const { program, serveOptions } = wish
  const [command = '', ...rest] = host.isDesktop === true ? program.absolute : program.words
  return {
    kind: 'stdio',
    command,
    args: [...rest, ...folderOf(host, wish), 'serve', ...serveOptions],
  }
}

function folderOf({ folder, title }: Host, { scope, root }: Wish): readonly string[] {
  if (folder === 'project') return []
  if (folder !== 'unknown') return scope === 'project' ? ['-C', folder.variable] : []
  if (root !== undefined) return ['-C', root]
  throw new Failure('not_initialised', `${title} serves one project: run this in its folder`)
}

/** The first file that exists, else the one that the host would make. */
export function locate(
  files: { readonly [S in Scope]?: Files },
  { machine, scope, root }: Pick<Wish, 'machine' | 'scope' | 'root'>,
): string | undefined {
  const given = files[scope]
  const templates = given === undefined || isList(given) ? given : given[machine.platform]
  const paths = (templates ?? []).flatMap((template) => {
    if (scope === 'global') return [toPath(machine, template)]
    return root === undefined ? [] : [join(root, ...template.split('/'))]
  })
  return paths.find((path) => existsSync(path)) ?? paths[0]
}

function isList(files: Files): files is readonly string[] {
  return Array.isArray(files)
}

function noFile({ title, name, files }: Host, scope: Scope): Failure {
  if (files.project === undefined && files.global === undefined) {
    return new Failure(
      'invalid_input',
      `${title} has no file that other programs may write: \`waymark install ${name} --print\` shows what to paste`,
    )
  }
  return new Failure(
    'invalid_input',
    scope === 'project'
      ? `${title} has no configuration of its own for a project: add --global`
      : `${title} has no global configuration here: leave out --global`,
  )
}
