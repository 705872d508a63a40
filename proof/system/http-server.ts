import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { COMMAND } from './server.ts'

export interface HttpServer extends AsyncDisposable {
  /** Makes a call and waits for its answer. */
  post(path: string, body: unknown): Promise<string>
  /** The bytes of a call. */
  toRequest(path: string, body: unknown): Buffer
  /** Sends bytes on a connection of their own and breaks it after so many bytes of the answer, or when it ends. */
  sendRaw(bytes: Buffer, options: { readonly answerBytes: number }): Promise<void>
}

/** The installed command as a server over HTTP, in a process of its own. */
export async function startHttpServer(directory: string): Promise<HttpServer> {
  const child = spawn(process.execPath, [COMMAND, 'serve', '--http', '0', '--json'], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const closed = once(child, 'close')
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const { port, secret_file: file } = JSON.parse(line) as { port: number; secret_file: string }
  const authorization = `Bearer ${readFileSync(file, 'utf8').trim()}`
  return {
    post: async (path, body) => {
      const headers = { authorization, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
      return await response.text()
    },
    toRequest: (path, body) => {
      const content = JSON.stringify(body)
      const head = [
        `POST ${path} HTTP/1.1`,
        `host: 127.0.0.1:${port}`,
        `authorization: ${authorization}`,
        'connection: close',
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(content)}`,
      ]
      return Buffer.from(`${head.join('\r\n')}\r\n\r\n${content}`)
    },
    sendRaw: async (bytes, { answerBytes }) => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      let received = 0
      socket.on('data', (data) => {
        received += data.length
        if (received >= answerBytes) socket.destroy()
      })
      socket.write(bytes, () => {
        if (answerBytes === 0) socket.destroy()
      })
      await once(socket, 'close')
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}
