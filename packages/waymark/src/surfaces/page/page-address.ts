import { existsSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { Failure } from '../../core/error.ts'
import type { OpenProject } from '../../core/project/project.ts'
import { findEntity } from '../../entity/find-entity.ts'

const VIEWS: ReadonlySet<string> = new Set(
  'board agents knowledge graph code inbox activity health settings'.split(' '),
)

const NO_ENTITY: ReadonlySet<string> = new Set(['not_found', 'invalid_input'])

const LINES = /^(.+?)(?::(\d+)(?:-(\d+))?)?$/

interface Place {
  readonly path: string
  /** Lines of a file, as `L40-L88`. */
  readonly lines?: string
}

/** The address of a view, of an entity by its number, or of a file with lines: `board`, `12`, `src/net/retry.ts:40`. */
export async function findPlace(
  project: Pick<OpenProject, 'root' | 'store'>,
  cwd: string,
  what: string | undefined,
): Promise<Place> {
  if (what === undefined) return { path: '/ui/' }
  if (VIEWS.has(what)) return { path: `/ui/${what}` }
  const file = findFile(project.root, cwd, what)
  if (file !== undefined) return file
  const { number, type } = await findEntity(project.store.entities, what).catch(
    (error: unknown) => {
      if (!(error instanceof Failure) || !NO_ENTITY.has(error.code)) throw error
      const views = [...VIEWS].join(', ')
      throw new Failure('not_found', `${error.message}; or name a file or a view: ${views}`, {
        details: error.details,
      })
    },
  )
  return { path: `/ui/${type === 'task' ? 't' : 'k'}/${number}` }
}

function findFile(root: string, cwd: string, what: string): Place | undefined {
  const [, name = '', from, to] = LINES.exec(what) ?? []
  // A number stands for an entity, even if a file has that name.
  if (/^#?\d+$/.test(name)) return undefined
  const path = resolve(cwd, name)
  const inside = relative(root, path)
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside) || !existsSync(path))
    return undefined
  const encoded = inside.split(sep).map(encodeURIComponent).join('/')
  const lines = from === undefined ? undefined : `L${from}${to === undefined ? '' : `-L${to}`}`
  return { path: `/ui/code/${encoded}`, ...(lines !== undefined && { lines }) }
}

/** The whole address; the code is in the fragment, which is in no log, no Referer and no request. */
export function toAddress(url: string, { path, lines }: Place, code: string): string {
  return `${url}${path}#key=${code}${lines === undefined ? '' : `&${lines}`}`
}
