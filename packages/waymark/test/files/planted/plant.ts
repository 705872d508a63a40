import { execFileSync } from 'node:child_process'
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** What an archive can put where Waymark keeps a file or a folder of its own. */
export const KINDS = [
  'symlink to a file',
  'symlink to a folder',
  'dangling symlink',
  'hard link',
  'pipe',
  'folder',
] as const

export type Kind = (typeof KINDS)[number]

/** A folder outside of the project, which nothing may change and whose texts nothing may repeat. */
export interface Outside {
  readonly folder: string
  readonly file: string
  /** All that is in it, with contents, modes and times. */
  look(): string
}

export const OUTSIDE_TEXT = 'text-of-an-outside-file'

/** Among its files are some that are named like contents and unfinished uploads, wherever a link to it is put. */
export function createOutside(folder: string): Outside {
  const contents = ['', 'ab', join('objects', 'ab')].map((group) => join(group, 'c'.repeat(62)))
  const uploads = ['', 'incoming'].map((group) => join(group, 'old.part'))
  for (const name of ['victim', ...contents, ...uploads]) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${OUTSIDE_TEXT} `.repeat(64), { mode: 0o600 })
    utimesSync(path, 1, 1)
  }
  return { folder, file: join(folder, 'victim'), look: () => describe(folder) }
}

export function plant(path: string, kind: Kind, outside: Outside): void {
  rmSync(path, { recursive: true, force: true })
  switch (kind) {
    case 'symlink to a file':
      return symlinkSync(outside.file, path)
    case 'symlink to a folder':
      return symlinkSync(outside.folder, path)
    case 'dangling symlink':
      return symlinkSync(join(outside.folder, 'absent'), path)
    case 'hard link':
      return linkSync(outside.file, path)
    case 'pipe':
      execFileSync('mkfifo', [path])
      return
    case 'folder':
      mkdirSync(path)
  }
}

function describe(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const path = join(folder, name)
      const { mode, mtimeMs } = lstatSync(path)
      const isFile = lstatSync(path).isFile()
      return [name, mode, isFile ? mtimeMs : '', isFile ? readFileSync(path, 'utf8') : ''].join(' ')
    })
    .join('\n')
}
