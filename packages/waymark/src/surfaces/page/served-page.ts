import { join } from 'node:path'
import { hasEnded, isOfThisMachine, runs, thisProcess } from '../../support/process-identity.ts'
import { makeFolder, putFile } from '../../support/files/put-file.ts'
import { readRegularFile } from '../../support/files/regular-file.ts'
import { pageFolder } from './page-sessions.ts'

const LARGEST_FILE = 4096
const PATIENCE_MS = 2000

/** The server that served the page of a project last. Its port is kept, so that links and storage of browsers stay valid. */
export interface ServedPage {
  /** Without a path. */
  readonly url: string
  readonly port: number
  /** As `process-identity.ts` names it. */
  readonly process: string
}

/** Writes down that this process serves the page of a project. */
export async function rememberServedPage(
  stateDir: string,
  { url, port }: Pick<ServedPage, 'url' | 'port'>,
): Promise<void> {
  const folder = pageFolder(stateDir)
  await makeFolder(folder, 0o700)
  const page: ServedPage = { url, port, process: thisProcess() }
  await putFile(pathOf(folder), (file) => file.writeFile(JSON.stringify(page)), { mode: 0o600 })
}

/** The server of the page that was started last, whether or not it still runs. */
export function readServedPage(stateDir: string): ServedPage | undefined {
  const text = readRegularFile(pathOf(pageFolder(stateDir)), LARGEST_FILE)
  if (text === undefined) return undefined
  try {
    const { url, port, process } = JSON.parse(text) as Partial<ServedPage>
    const isWhole = typeof url === 'string' && URL.canParse(url) && typeof process === 'string'
    return isWhole && Number.isInteger(port) ? { url, port: Number(port), process } : undefined
  } catch {
    return undefined
  }
}

/** The server of the page, if its process certainly runs: for a hint, which is not worth a request. */
export function runningPage(stateDir: string): ServedPage | undefined {
  const page = readServedPage(stateDir)
  return page !== undefined && runs(page.process) ? page : undefined
}

/** The server of the page, if it runs and answers. */
export async function findServedPage(stateDir: string): Promise<ServedPage | undefined> {
  const page = readServedPage(stateDir)
  // An archive can bring the file of another machine, and one-time codes must not go to the address in it.
  if (page === undefined || !isOfThisMachine(page.process)) return undefined
  // Another program may have the port by now.
  if (hasEnded(page.process)) return undefined
  try {
    const { ok } = await fetch(`${page.url}/health`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    return ok ? page : undefined
  } catch {
    return undefined
  }
}

function pathOf(folder: string): string {
  return join(folder, 'server.json')
}
