// The floor on HTTP: a bare JSON-RPC loop on node:http.
import { createServer } from 'node:http'
import { answer } from './floor.ts'
import { listen } from './listen.ts'

listen(
  createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      const reply = answer(body)
      if (reply === undefined) {
        response.writeHead(202, { 'content-length': 0 }).end()
        return
      }
      response
        .writeHead(200, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(reply),
          'mcp-session-id': 'floor',
        })
        .end(reply)
    })
  }),
)
