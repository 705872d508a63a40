import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Listens on a free port of the loopback interface, says which, and ends when whoever started it does. */
export function listen(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    process.stdout.write(`${port}\n`)
  })
  endWithInput()
}

/** A server that outlived its benchmark would disturb the next one. */
export function endWithInput(): void {
  process.stdin.on('end', () => process.exit(0)).resume()
}
