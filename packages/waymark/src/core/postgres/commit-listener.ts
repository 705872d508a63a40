import pg from 'pg'

const CHANNEL = 'waymark_commit'

/** How late a commit may be noticed when its notification was lost. */
const POLL_MS = 1000

/** Notifications of commits that come within this time are sent as one. */
const COALESCE_MS = 5

/** A notification holds less than 8,000 bytes. */
const MOST_TOPICS = 150

interface Watched {
  readonly listeners: Set<() => void>
  /** Whether the topic is a schema, whose version tells of commits. */
  readonly isSchema: boolean
  version: number
}

/**
 * Signals commits, and other topics, between processes: LISTEN on one connection, NOTIFY after the commit, because a notification inside
 * the transaction would make all commits of the database wait for each other. A slow poll makes up for lost ones, and
 * works alone behind a proxy that does not pass notifications on.
 */
export class CommitListener implements AsyncDisposable {
  readonly #config: pg.ClientConfig
  readonly #pool: () => pg.Pool
  readonly #watched = new Map<string, Watched>()
  readonly #unsent = new Set<string>()
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #sending: NodeJS.Timeout | undefined

  constructor(config: pg.ClientConfig, pool: () => pg.Pool) {
    this.#config = config
    this.#pool = pool
  }

  /** Never throws: the transaction is committed, and the poll makes up for a lost notification. */
  notify(topic: string): void {
    this.#wake(topic)
    this.#unsent.add(topic)
    this.#sending ??= setTimeout(() => this.#send(), COALESCE_MS).unref()
  }

  watch(schema: string, listener: () => void): () => void {
    return this.#add(schema, listener, true)
  }

  /** Hears of a topic that is not polled for: signals may get lost. */
  hear(topic: string, listener: () => void): () => void {
    return this.#add(topic, listener, false)
  }

  #add(topic: string, listener: () => void, isSchema: boolean): () => void {
    const entry = (): void => listener()
    const watched = this.#watched.get(topic) ?? { listeners: new Set(), isSchema, version: -1 }
    watched.listeners.add(entry)
    this.#watched.set(topic, watched)
    if (this.#timer === undefined) this.#start()
    return () => {
      watched.listeners.delete(entry)
      if (watched.listeners.size === 0) this.#watched.delete(topic)
      if (this.#watched.size === 0) this.#stop()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#sending)
    this.#watched.clear()
    this.#stop()
  }

  #start(): void {
    void this.#listen()
    this.#timer = setInterval(() => {
      if (this.#client === undefined) void this.#listen()
      void this.#poll()
    }, POLL_MS).unref()
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    void this.#client?.end().catch(() => {})
    this.#client = undefined
  }

  async #listen(): Promise<void> {
    const client = new pg.Client(this.#config)
    this.#client = client
    client.on('error', () => this.#drop(client))
    client.on('end', () => this.#drop(client))
    client.on('notification', ({ payload }) => {
      for (const topic of payload?.split(' ') ?? []) this.#wake(topic)
    })
    try {
      await client.connect()
      // The process may end while it listens.
      unref(client)
      await client.query(`LISTEN ${CHANNEL}`)
      await this.#poll()
    } catch {
      this.#drop(client)
    }
  }

  #drop(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined
  }

  async #poll(): Promise<void> {
    for (const [schema, watched] of this.#watched) {
      if (!watched.isSchema) continue
      try {
        const { rows } = await this.#pool().query<{ version: number }>(
          `SELECT version FROM ${quoted(schema)}.project`,
        )
        const version = rows[0]?.version ?? 0
        const isNew = version !== watched.version
        watched.version = version
        // Also the first time: a commit may have come after the listener read and before it was polled for.
        if (isNew) this.#wake(schema)
      } catch {
        // The next poll tries again; the next read throws what is wrong.
      }
    }
  }

  #wake(topic: string): void {
    // A microtask each, so that a listener that throws does not stop the others.
    for (const listener of this.#watched.get(topic)?.listeners ?? []) queueMicrotask(listener)
  }

  #send(): void {
    const topics = [...this.#unsent]
    this.#unsent.clear()
    this.#sending = undefined
    for (let at = 0; at < topics.length; at += MOST_TOPICS)
      this.#pool()
        .query('SELECT pg_notify($1, $2)', [CHANNEL, topics.slice(at, at + MOST_TOPICS).join(' ')])
        .catch(() => {})
  }
}

/** An identifier in double quotes. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function unref(client: pg.Client): void {
  if ('connection' in client && hasStream(client.connection)) client.connection.stream.unref()
}

function hasStream(value: unknown): value is { readonly stream: { unref(): void } } {
  return typeof value === 'object' && value !== null && 'stream' in value
}
