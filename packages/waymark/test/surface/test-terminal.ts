import type { Terminal } from '../../src/surfaces/terminal/terminal.ts'

export interface TestTerminal extends Terminal {
  readonly output: { out: string; err: string }
}

/** A terminal that remembers what was written to it. */
export function createTestTerminal(
  cwd: string,
  options: Partial<Terminal> & { stdin?: string | Uint8Array } = {},
): TestTerminal {
  const output = { out: '', err: '' }
  return {
    cwd,
    env: {},
    columns: 80,
    rows: 24,
    interactive: false,
    colors: false,
    watched: false,
    now: () => Date.now(),
    out: (text) => (output.out += text),
    page: async () => false,
    err: (text) => (output.err += text),
    readStdin: async () => String(options.stdin ?? ''),
    readBytes: async function* () {
      yield Buffer.from(options.stdin ?? '')
    },
    writeBytes: async (bytes) => {
      for await (const chunk of bytes) output.out += Buffer.from(chunk).toString()
    },
    listen: () => ({ [Symbol.dispose]: () => {} }),
    confirm: async () => undefined,
    edit: async () => undefined,
    ...options,
    output,
  }
}
