// The floor on stdio: a bare JSON-RPC loop, one write for each reply.
import { answer } from './floor.ts'

let held = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  const lines = (held + String(chunk)).split('\n')
  held = lines.pop() ?? ''
  for (const line of lines) {
    const reply = answer(line)
    if (reply !== undefined) process.stdout.write(`${reply}\n`)
  }
})
