import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Listens on a free loopback port, prints it, and exits with the parent process. */
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
