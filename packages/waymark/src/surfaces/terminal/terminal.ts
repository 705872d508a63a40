import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import { Failure } from '../../core/error.ts'

/** The world of one command: what it may read and where it may write. Tests pass their own. */
export interface Terminal {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly columns: number
  readonly rows: number
  /** Whether a person reads the output: tables fit the width, JSON is indented. */
  readonly interactive: boolean
  readonly colors: boolean
  /** Whether a person watches standard error, which then may say how far a long command has come. */
  readonly watched: boolean
  /** The time, to which those that are shown are compared. */
  now(): number
  out(text: string): void
  /** Shows a long text in the user's pager, and answers whether there is one that did. */
  page(text: string): Promise<boolean>
  err(text: string): void
  readStdin(): Promise<string>
  /** Standard input and output as they are, for what is no text. */
  readBytes(): AsyncIterable<Uint8Array>
  writeBytes(bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Reports keys as they are pressed, and changes of the size; undo it by disposing of the answer. */
  listen(listener: TerminalListener): Disposable
  /** Asks the user to confirm; `undefined` without a terminal. */
  confirm(question: string): Promise<boolean | undefined>
  /** Opens a person's editor on `text` and answers what was saved; `undefined` when there is no editor. */
  edit(text: string): Promise<string | undefined>
}

interface TerminalListener {
  readonly key: (key: string) => void
  readonly resized: () => void
}

const FALLBACK_COLUMNS = 80
const FALLBACK_ROWS = 24

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process
  const interactive = stdout.isTTY === true
  return {
    cwd: process.cwd(),
    env,
    // Read anew each time, because a window can be resized. Some terminals say that they have no columns at all.
    get columns() {
      return stdout.columns || stderr.columns || FALLBACK_COLUMNS
    },
    get rows() {
      return stdout.rows || stderr.rows || FALLBACK_ROWS
    },
    interactive,
    colors: wantsColors(env, interactive),
    watched: stderr.isTTY === true && env['TERM'] !== 'dumb',
    now: () => MACHINE_CLOCK.now(),
    out: (text) => void stdout.write(text),
    page: async (text) => await (await import('./pager.ts')).page(text, env),
    err: (text) => void stderr.write(text),
    readStdin: async () => {
      let text = ''
      for await (const chunk of stdin.setEncoding('utf8')) text += String(chunk)
      return text
    },
    readBytes: () => stdin as AsyncIterable<Uint8Array>,
    writeBytes: (bytes) => writeBytes(stdout, bytes),
    listen: (listener) => listenTo(stdin, stdout, listener),
    confirm: async (question) => {
      if (stdin.isTTY !== true || !interactive) return undefined
      return /^y(es)?$/i.test((await ask(`${question} [y/N] `, stdin, stderr)).trim())
    },
    edit: async (text) => {
      const editor = env['VISUAL'] || env['EDITOR']
      return editor === undefined || editor === '' ? undefined : await editWith(editor, text)
    },
  }
}

/** Ctrl-C and Ctrl-D end the command before anything is changed. */
async function ask(
  question: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): Promise<string> {
  const { createInterface } = await import('node:readline')
  const prompt = createInterface({ input, output })
  try {
    return await new Promise((resolve, reject) => {
      prompt.on('close', () => {
        output.write('\n')
        reject(new Failure('cancelled', 'nothing was changed'))
      })
      prompt.question(question, resolve)
    })
  } finally {
    prompt.removeAllListeners('close')
    prompt.close()
  }
}

function listenTo(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  { key, resized }: TerminalListener,
): Disposable {
  const onData = (data: Buffer) => key(data.toString())
  const isTerminal = stdin.isTTY === true
  if (isTerminal) stdin.setRawMode(true).on('data', onData).resume()
  stdout.on('resize', resized)
  return {
    [Symbol.dispose]: () => {
      stdout.off('resize', resized)
      if (isTerminal) stdin.off('data', onData).setRawMode(false).pause()
    },
  }
}

/** EPIPE is not an error: the reader may stop early, as `head` does. */
async function writeBytes(
  stdout: NodeJS.WritableStream,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { pipeline } = await import('node:stream/promises')
  try {
    await pipeline(bytes, stdout, { end: false })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error
  }
}

/** The file is Markdown so that editors colour it. `editor` may hold options, as git allows, hence the shell. */
async function editWith(editor: string, text: string): Promise<string> {
  const [{ spawnSync }, fs, { tmpdir }, path] = await Promise.all([
    import('node:child_process'),
    import('node:fs'),
    import('node:os'),
    import('node:path'),
  ])
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'waymark-edit-'))
  const file = path.join(folder, 'content.md')
  try {
    fs.writeFileSync(file, text, { mode: 0o600 })
    const { status } = spawnSync(`${editor} "${file}"`, { shell: true, stdio: 'inherit' })
    return status === 0 ? fs.readFileSync(file, 'utf8') : text
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function wantsColors(env: NodeJS.ProcessEnv, interactive: boolean): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false
  if (env['FORCE_COLOR'] === '0' || env['FORCE_COLOR'] === 'false') return false
  if (env['FORCE_COLOR'] !== undefined || env['CLICOLOR_FORCE'] !== undefined) return true
  return interactive && env['CLICOLOR'] !== '0' && env['TERM'] !== 'dumb'
}
