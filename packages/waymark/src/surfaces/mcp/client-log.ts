import type { CallContext, Middleware } from '@waymark/baton'
import { type ClientConnection, MOST_CLIENTS } from '../../agent/client/store.ts'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import type { Store } from '../../core/store/store.ts'
import { PROBE_CLIENT } from '../../install/doctor/probe.ts'
import type { Logger } from '../../support/logger.ts'
import { firstCharacters, toStorable } from '../../support/text/visible-text.ts'

export interface ClientLogOptions {
  readonly logger: Logger
  readonly store: Store
  /** Top folder of the working tree. */
  readonly worktree: string | undefined
  readonly readOnly: boolean
}

const HANDSHAKES: ReadonlySet<string> = new Set(['initialize', 'server/discover'])
const LONGEST = 100
const FIRST_SAVE_MS = 1000
const SAVE_EVERY_MS = 30_000
/** How long a save waits for the write lock. */
const PATIENCE_MS = 1000

/**
 * Logs who connects, and keeps in the store what each client requested last, so that a person can see whether a host
 * talks to the server. Saved in the background, since it is not worth the time of a call.
 */
export class ClientLog implements AsyncDisposable {
  readonly #options: ClientLogOptions
  /** By name; the one that requested something last is the last one. */
  readonly #clients = new Map<string, ClientConnection>()
  readonly #unsaved = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #hasSaved = false

  constructor(options: ClientLogOptions) {
    this.#options = options
  }

  readonly watch: Middleware = async ({ method, params, context }, next) => {
    const { logger } = this.#options
    if (!HANDSHAKES.has(method)) {
      const subject = params['name'] ?? params['uri']
      logger.debug('requested', { method })
      this.#note(context.client, context.protocolVersion, {
        asked: typeof subject === 'string' ? `${method} ${subject}` : method,
      })
      return await next()
    }
    const result = await next()
    const client = context.client ?? toClient(params['clientInfo'])
    const protocol =
      'protocolVersion' in result ? String(result.protocolVersion) : context.protocolVersion
    logger.info('client connected', { client: client?.name, version: client?.version, protocol })
    this.#note(client, protocol, { asked: method, connects: true })
    return result
  }

  #note(
    client: CallContext['client'],
    protocol: string,
    { asked, connects = false }: { readonly asked: string; readonly connects?: boolean },
  ): void {
    const { readOnly, worktree = '' } = this.#options
    if (readOnly || client === undefined || client.name === PROBE_CLIENT) return
    const name = toShort(client.name)
    const now = MACHINE_CLOCK.now()
    // A modern client need not say hello.
    const connectedAt = connects ? now : (this.#clients.get(name)?.connectedAt ?? now)
    this.#keep({
      client: name,
      version: toShort(client.version),
      protocol: toShort(protocol),
      worktree,
      connectedAt,
      asked: toShort(asked),
      askedAt: now,
    })
    const wait = this.#hasSaved ? SAVE_EVERY_MS : FIRST_SAVE_MS
    this.#timer ??= setTimeout(() => void this.save(), wait).unref()
  }

  #keep(one: ClientConnection): void {
    this.#clients.delete(one.client)
    this.#clients.set(one.client, one)
    this.#unsaved.add(one.client)
    const [oldest] = this.#clients.keys()
    if (oldest === undefined || this.#clients.size <= MOST_CLIENTS) return
    this.#clients.delete(oldest)
    this.#unsaved.delete(oldest)
  }

  async save(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#hasSaved = true
    const noted = [...this.#unsaved].flatMap((name) => this.#clients.get(name) ?? [])
    this.#unsaved.clear()
    if (noted.length === 0) return
    try {
      await this.#options.store.write(
        async (tx) => {
          for (const one of noted) await tx.clients.put(one)
        },
        { signal: AbortSignal.timeout(PATIENCE_MS) },
      )
    } catch (error) {
      this.#options.logger.debug('the connection was not recorded', { error })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.save()
  }
}

function toClient(info: unknown): CallContext['client'] {
  if (typeof info !== 'object' || info === null) return undefined
  const { name, version } = info as Readonly<Record<string, unknown>>
  return typeof name === 'string' && typeof version === 'string' ? { name, version } : undefined
}

function toShort(text: string): string {
  return firstCharacters(toStorable(text), LONGEST)
}
