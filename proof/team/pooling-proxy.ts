import { connect, createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import type { Random } from '../../packages/baton/test/support/random.ts'
import { FrameCutter, toFrame, toStartup } from './frames.ts'

/** Fewer than replicas open, so that each transaction gets another connection. */
const MOST_SERVERS = 12

const SSL_REQUEST = 80_877_103
const READY = toFrame('Z', Buffer.from('I'))
const AUTHENTICATED = toFrame('R', Buffer.alloc(4))
const DISCARD = toFrame('Q', Buffer.from('DISCARD ALL\0'))

export interface ProxyOptions {
  /** Where the server listens now. */
  readonly target: () => string
  /** `session` gives each client a connection of its own; `transaction` lends one, and takes it back in between. */
  readonly mode: 'session' | 'transaction'
  /** Whether this commit, or its answer, is lost on its way. */
  readonly loses?: (what: 'commit' | 'answer') => boolean
}

/**
 * What PgBouncer does, in short: a connection of the server belongs to a client while a transaction runs. Afterwards all
 * that a session can keep is discarded: settings, LISTEN, prepared statements. Notifications reach no client.
 */
export class PoolingProxy implements AsyncDisposable {
  readonly #options: ProxyOptions
  readonly #server: Server
  readonly #clients = new Set<Socket>()
  readonly #lent = new Set<Backend>()
  readonly #idle: Backend[] = []
  readonly #waiting: ((backend: Backend | undefined) => void)[] = []
  #opened = 0
  #greeting: Buffer | undefined
  /** Transactions that were given a connection. */
  lendings = 0

  private constructor(options: ProxyOptions) {
    this.#options = options
    this.#server = createServer({ noDelay: true }, (socket) => {
      socket.on('error', () => socket.destroy())
      this.#clients.add(socket)
      socket.on('close', () => this.#clients.delete(socket))
      if (options.mode === 'session') this.#relay(socket)
      else this.#serve(socket)
    })
  }

  static async listen(options: ProxyOptions): Promise<PoolingProxy> {
    const proxy = new PoolingProxy(options)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    const address = this.#server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    return `postgres://waymark@127.0.0.1:${port}/waymark`
  }

  /** Breaks about every third connection, at whatever moment it is in. */
  cut(random: Random): number {
    const all = [...this.#clients, ...[...this.#lent].map(({ socket }) => socket)]
    const chosen = all.filter(() => random.below(3) === 0)
    for (const socket of chosen) socket.destroy()
    return chosen.length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    for (const socket of this.#clients) socket.destroy()
    for (const { socket } of [...this.#lent, ...this.#idle]) socket.destroy()
  }

  #relay(client: Socket): void {
    const server = connect(this.#options.target())
    server.on('error', () => server.destroy())
    server.on('close', () => client.destroy())
    client.on('close', () => server.destroy())
    client.pipe(server)
    server.pipe(client)
  }

  #serve(client: Socket): void {
    const cutter = new FrameCutter()
    const unsent: Buffer[] = []
    let isStarted = false
    let backend: Backend | undefined
    let isAsking = false
    let isReading = false
    /** Ends of pipelined requests whose answers have not come. */
    let open = 0
    const detach = (): void => {
      if (backend === undefined) return
      const free = backend
      backend = undefined
      this.#giveBack(free)
    }
    const onFrame = (type: string, bytes: Buffer): void => {
      if (type === 'A') return
      const isCommit = type === 'C' && !isReading && bytes.includes('COMMIT')
      if (isCommit && this.#options.loses?.('answer') === true) {
        client.destroy()
        return
      }
      client.write(bytes)
      if (type !== 'Z') return
      open -= 1
      if (open === 0 && bytes[5] === IDLE) detach()
    }
    const ask = async (): Promise<void> => {
      isAsking = true
      const given = await this.#take()
      isAsking = false
      if (given === undefined || client.destroyed) {
        if (given !== undefined) this.#giveBack(given)
        client.destroy()
        return
      }
      backend = given
      given.onFrame = onFrame
      given.onClose = () => client.destroy()
      given.socket.write(Buffer.concat(unsent.splice(0)))
    }
    client.on('close', () => {
      // It may be in the middle of a transaction, which ends with its connection.
      if (backend !== undefined) backend.socket.destroy()
    })
    client.on('data', (chunk: Buffer) => {
      if (!isStarted) {
        // A goodbye of a client that gave up before it began.
        if (chunk.length < 8) return void client.destroy()
        if (chunk.readInt32BE(4) === SSL_REQUEST) {
          client.write('N')
          return
        }
        isStarted = true
        void this.#greet(client)
        return
      }
      for (const { type, bytes } of cutter.cut(chunk)) {
        if (type === 'X') {
          client.end()
          return
        }
        // Simple queries, and statements that are to be parsed.
        const isText = type === 'Q' || type === 'P'
        if (isText && bytes.includes('BEGIN')) isReading = bytes.includes('READ ONLY')
        const isCommit = isText && !isReading && bytes.includes('COMMIT')
        if (isCommit && this.#options.loses?.('commit') === true) {
          client.destroy()
          return
        }
        if (type === 'S' || type === 'Q') open += 1
        if (backend === undefined) unsent.push(bytes)
        else backend.socket.write(bytes)
      }
      if (backend === undefined && unsent.length > 0 && !isAsking) void ask()
    })
  }

  /** The client is told what a server told the proxy. */
  async #greet(client: Socket): Promise<void> {
    if (this.#greeting === undefined) {
      const backend = await this.#take()
      if (backend === undefined) {
        client.destroy()
        return
      }
      this.#greeting = backend.greeting
      this.#giveBack(backend)
    }
    client.write(Buffer.concat([AUTHENTICATED, this.#greeting, READY]))
  }

  async #take(): Promise<Backend | undefined> {
    this.lendings += 1
    const idle = this.#idle.pop()
    if (idle !== undefined) {
      this.#lent.add(idle)
      return idle
    }
    if (this.#opened >= MOST_SERVERS)
      return await new Promise((resolve) => this.#waiting.push(resolve))
    this.#opened += 1
    const backend = await Backend.open(this.#options.target()).catch(() => undefined)
    if (backend === undefined) {
      this.#opened -= 1
      // Those that wait find the server away, too.
      this.#waiting.shift()?.(undefined)
      return undefined
    }
    backend.socket.on('close', () => this.#forget(backend))
    this.#lent.add(backend)
    return backend
  }

  #giveBack(backend: Backend): void {
    this.#lent.delete(backend)
    if (backend.socket.destroyed) return
    backend.onClose = undefined
    backend.onFrame = (type) => {
      if (type !== 'Z') return
      backend.onFrame = undefined
      const next = this.#waiting.shift()
      if (next === undefined) this.#idle.push(backend)
      else {
        this.#lent.add(backend)
        next(backend)
      }
    }
    backend.socket.write(DISCARD)
  }

  #forget(backend: Backend): void {
    this.#opened -= 1
    this.#lent.delete(backend)
    const at = this.#idle.indexOf(backend)
    if (at !== -1) this.#idle.splice(at, 1)
    const next = this.#waiting.shift()
    if (next !== undefined) void this.#serveNext(next)
  }

  async #serveNext(waiting: (backend: Backend | undefined) => void): Promise<void> {
    waiting(await this.#take())
  }
}

const IDLE = 'I'.codePointAt(0)

/** A connection to the server, ready for its first transaction. */
class Backend {
  readonly socket: Socket
  /** The settings that the server told, as messages. */
  greeting: Buffer = Buffer.alloc(0)
  onFrame: ((type: string, bytes: Buffer) => void) | undefined
  onClose: (() => void) | undefined

  private constructor(socket: Socket) {
    this.socket = socket
    const cutter = new FrameCutter()
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.onClose?.())
    socket.on('data', (chunk: Buffer) => {
      for (const { type, bytes } of cutter.cut(chunk)) this.onFrame?.(type, bytes)
    })
  }

  static async open(path: string): Promise<Backend> {
    const backend = new Backend(connect(path))
    backend.socket.write(toStartup({ user: 'waymark', database: 'waymark' }))
    await new Promise<void>((resolve, reject) => {
      backend.onClose = () => reject(new Error('the server is away'))
      backend.onFrame = (type, bytes) => {
        if (type === 'S') backend.greeting = Buffer.concat([backend.greeting, bytes])
        if (type === 'E') backend.socket.destroy()
        if (type === 'Z') resolve()
      }
    })
    backend.onClose = undefined
    backend.onFrame = undefined
    return backend
  }
}
