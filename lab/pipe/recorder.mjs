// Runs as `waymark`, first on PATH: starts the real one and records its command line and what goes over its pipes.
// The first arguments are the folder for recordings and the real script; hosts may clear the environment.
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder = '', script = '', ...args] = process.argv.slice(2)
const file = join(folder, `${Date.now()}-${process.pid}.jsonl`)
const record = (entry) => appendFileSync(file, `${JSON.stringify(entry)}\n`)

// Values are recorded only where they name the session.
const variables = Object.keys(process.env).toSorted()
const ids = variables.filter((name) => /(?:SESSION|THREAD)_ID$/.test(name))
record({
  kind: 'start',
  args,
  variables,
  ids: Object.fromEntries(ids.map((name) => [name, process.env[name]])),
})
const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })

function pass(from, to, kind) {
  from.on('data', (bytes) => {
    record({ kind, text: bytes.toString() })
    to.write(bytes)
  })
}
// Decodes characters that are cut by the end of a chunk.
for (const stream of [process.stdin, child.stdout]) stream.setEncoding('utf8')
pass(process.stdin, child.stdin, 'in')
pass(child.stdout, process.stdout, 'out')
process.stdin.on('end', () => child.stdin.end())
// The real one may end before it has read everything.
for (const stream of [child.stdin, process.stdout]) stream.on('error', () => {})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => record({ kind: 'exit', code, signal }))
child.on('close', (code) => process.exit(code ?? 1))
