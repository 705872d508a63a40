/** The world of one command: what it may read and where it may write. Tests pass their own. */
export interface Terminal {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly columns: number
  /** Whether a person reads the output: tables fit the width, JSON is indented. */
  readonly interactive: boolean
  readonly colors: boolean
  out(text: string): void
  err(text: string): void
  readStdin(): Promise<string>
  /** Asks a person; `undefined` when there is nobody to ask. */
  confirm(question: string): Promise<boolean | undefined>
}

const FALLBACK_COLUMNS = 80

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process
  const interactive = stdout.isTTY === true
  return {
    cwd: process.cwd(),
    env,
    columns: stdout.columns ?? FALLBACK_COLUMNS,
    interactive,
    colors: wantsColors(env, interactive),
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    readStdin: async () => {
      let text = ''
      for await (const chunk of stdin.setEncoding('utf8')) text += String(chunk)
      return text
    },
    confirm: async (question) => {
      if (stdin.isTTY !== true || !interactive) return undefined
      const { createInterface } = await import('node:readline/promises')
      const prompt = createInterface({ input: stdin, output: stderr })
      const answer = await prompt.question(`${question} [y/N] `)
      prompt.close()
      return /^y(es)?$/i.test(answer.trim())
    },
  }
}

function wantsColors(env: NodeJS.ProcessEnv, interactive: boolean): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false
  if (env['FORCE_COLOR'] !== undefined || env['CLICOLOR_FORCE'] !== undefined) return true
  return interactive && env['CLICOLOR'] !== '0' && env['TERM'] !== 'dumb'
}
