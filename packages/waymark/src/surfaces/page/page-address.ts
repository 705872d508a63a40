import { existsSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import * as z from 'zod'
import { Failure } from '../../core/error.ts'
import { parse } from '../../core/input/parse.ts'
import type { OpenProject } from '../../core/project/project.ts'
import type { Remote } from '../../core/remote.ts'
import { findEntity } from '../../entity/find-entity.ts'
import { lookUp } from '../../support/look-up.ts'
import { runningPage } from './served-page.ts'

const VIEWS: ReadonlySet<string> = new Set(
  'board agents inbox activity knowledge graph code insight health search settings'.split(' '),
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
  project: Pick<OpenProject, 'root' | 'store'> & { readonly remote?: Remote },
  cwd: string,
  what: string | undefined,
): Promise<Place> {
  if (what === undefined) return { path: '/ui/' }
  if (VIEWS.has(what)) return { path: `/ui/${what}` }
  const file = findFile(project.root, cwd, what)
  if (file !== undefined) return file
  const { number, type } = await findNamed(project, what).catch((error: unknown) => {
    if (!(error instanceof Failure) || !NO_ENTITY.has(error.code)) throw error
    const views = [...VIEWS].join(', ')
    throw new Failure('not_found', `${error.message}; or name a file or a view: ${views}`, {
      details: error.details,
    })
  })
  return { path: entityPath({ number, type }) }
}

async function findNamed(
  { store, remote }: Parameters<typeof findPlace>[0],
  id: string,
): Promise<{ readonly number: number; readonly type: string }> {
  if (remote === undefined) return await findEntity(store.entities, id)
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const call = { agent: undefined, idempotencyKey: undefined, signal }
  return parse(named, await remote.call({ ...call, operation: 'entity.get', input: { id } }))
}

const PATIENCE_MS = 10_000

const named = z.object({ number: z.int(), type: z.string() })

/** What commands print that the page shows as well. */
const SHOWN: Readonly<Record<string, (output: unknown) => string>> = {
  'entity.get': (output) => entityPath(parse(named, output)),
  'task.get': (output) =>
    entityPath({ ...parse(named.pick({ number: true }), output), type: 'task' }),
  'code.why': (output) => filePath(parse(inFile, output).file),
  'code.show': (output) => filePath(parse(inFile, output).file),
}

const inFile = z.object({ file: z.string() })

/** Where the page shows what a command has printed, while it is served. */
export function findLink(
  operation: string,
  output: unknown,
  stateDir: string | undefined,
): string | undefined {
  const toPath = lookUp(SHOWN, operation)
  if (toPath === undefined || stateDir === undefined) return undefined
  const page = runningPage(stateDir)
  return page && `${page.url}${toPath(output)}`
}

function entityPath({ number, type }: z.output<typeof named>): string {
  return `/ui/${type === 'task' ? 't' : 'k'}/${number}`
}

function filePath(file: string): string {
  return `/ui/code/${file.split('/').map(encodeURIComponent).join('/')}`
}

function findFile(root: string, cwd: string, what: string): Place | undefined {
  const [, name = '', from, to] = LINES.exec(what) ?? []
  // A number stands for an entity, even if a file has that name.
  if (/^#?\d+$/.test(name)) return undefined
  const path = resolve(cwd, name)
  const inside = relative(root, path)
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside) || !existsSync(path))
    return undefined
  const lines = from === undefined ? undefined : `L${from}${to === undefined ? '' : `-L${to}`}`
  return { path: filePath(inside.replaceAll(sep, '/')), ...(lines !== undefined && { lines }) }
}

/** The whole address; the code is in the fragment, which is in no log, no Referer and no request. */
export function toAddress(url: string, { path, lines }: Place, code: string): string {
  return `${url}${path}#key=${code}${lines === undefined ? '' : `&${lines}`}`
}
