import { writeFileSync } from 'node:fs'

/** Programs that behave like servers, good and bad, as scripts for Node. */
export const SERVERS = {
  good: `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line)
      if (id === undefined) return
      const result = method === 'initialize'
        ? { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'fake', version: '1.2' } }
        : { tools: [{ name: 'a' }, { name: process.cwd() }, { name: JSON.stringify(process.env) }] }
      if (process.env.RECORD) require('node:fs').writeFileSync(process.env.RECORD, JSON.stringify({ cwd: process.cwd(), env: process.env, argv: process.argv.slice(2) }))
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
    })`,
  crashing: `process.stderr.write('loading\\nerror: not a Waymark project\\n'); process.exitCode = 5`,
  chatty: `process.stdout.write('Hello, I am a server\\n'); process.stdin.resume()`,
  silent: `process.stdin.resume()`,
  stubborn: `process.stdin.resume(); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`,
  refusing: `
    process.stdin.once('data', () => {
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'too old' } }) + '\\n')
    })`,
} as const

export function writeServer(path: string, kind: keyof typeof SERVERS): void {
  writeFileSync(path, SERVERS[kind])
}
