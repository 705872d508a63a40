import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { wordsFor } from './words.ts'

const NOTES_REF = 'refs/notes/waymark'
/** Functions of a file, and annotations of each. */
const FUNCTIONS = 10
const AT = 1_750_000_000_000
const COMMITTER = 'committer B <b@example.com> 1700000000 +0000\n'

export function pathOf(file: number): string {
  return `src/module${file % 100}/file${file}.ts`
}

/**
 * Makes a history in which each commit adds a file, and a note for each of them that says of each function why it is so,
 * for which of these entities.
 */
export function createRepository(
  directory: string,
  annotations: number,
  ids: readonly string[],
): void {
  const git = (args: readonly string[], input?: string): void => {
    execFileSync('git', ['-C', directory, ...args], { input, stdio: ['pipe', 'ignore', 'inherit'] })
  }
  const files = Math.max(1, Math.round(annotations / FUNCTIONS))
  const stream: string[] = []
  for (let file = 0; file < files; file += 1) {
    stream.push(
      `commit refs/heads/main\nmark :${file + 1}\n${COMMITTER}data 1\nx\n`,
      `M 100644 inline ${pathOf(file)}\n${toData(toText(file))}`,
    )
  }
  stream.push(`commit ${NOTES_REF}\n${COMMITTER}data 1\nx\n`)
  for (let file = 0; file < files; file += 1) {
    stream.push(`N inline :${file + 1}\n${toData(toNote(file, ids))}`)
  }
  git(['fast-import', '--quiet'], stream.join(''))
  git(['reset', '--quiet', '--hard', 'main'])
}

/** Some names are those of functions in other files too. */
function nameOf(file: number, at: number): string {
  return at === 0 ? `open${file % 50}` : `handle${file}x${at}`
}

function toData(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`
}

function toText(file: number): string {
  const functions = Array.from(
    { length: FUNCTIONS },
    (_, at) => `export function ${nameOf(file, at)}(): number {\n  return ${file + at}\n}\n`,
  )
  return functions.join('')
}

/** One record a line. */
function toNote(file: number, ids: readonly string[]): string {
  const records = Array.from({ length: FUNCTIONS }, (_, number) => {
    const at = file * FUNCTIONS + number
    const region = {
      file: pathOf(file),
      ast_anchor: { type: 'function', name: nameOf(file, number) },
      lines: { start: 1 + 3 * number, end: 3 + 3 * number },
      intent: wordsFor(at, 20),
    }
    const record = {
      $schema: 'ultragit/v1',
      id: randomUUID(),
      timestamp: new Date(AT + at * 1000).toISOString(),
      summary: wordsFor(at, 5),
      context_level: 'enhanced',
      links: [{ id: ids[(at * 7) % ids.length], relation: 'references' }],
      regions: [region],
    }
    return JSON.stringify(record)
  })
  return `${records.join('\n')}\n`
}
