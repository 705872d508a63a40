import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/** Serves a web-standard handler on node:http; minimal, so that it adds little to the measured cost. */
export function toListener(fetch: (request: Request) => Promise<Response>): RequestListener {
  return (request, response) => void serve(fetch, request, response)
}

async function serve(
  fetch: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const headers = new Headers()
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '')
  }
  const response = await fetch(
    new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method ?? 'POST',
      headers,
      body: await readBody(incoming),
    }),
  )
  const body = await response.text()
  outgoing
    .writeHead(response.status, {
      ...Object.fromEntries(response.headers),
      'content-length': Buffer.byteLength(body),
    })
    .end(body)
}

function readBody(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let body = ''
    incoming.setEncoding('utf8')
    incoming.on('data', (chunk) => (body += String(chunk)))
    incoming.on('end', () => resolve(body)).on('error', reject)
  })
}
