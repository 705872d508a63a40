import type { JWTVerifyGetKey } from 'jose'
import { toElapsed } from '../../internal/elapsed.ts'
import { type Fetch, fetchJson } from './bounded-fetch.ts'
import { discoverJwksUri } from './issuer-discovery.ts'
import { IssuerUnavailableError } from './token-error.ts'

/** Where an issuer's public keys come from. */
export interface KeySourceOptions {
  readonly issuer: string
  /** Found through the issuer's metadata when absent. */
  readonly jwksUri?: string | undefined
  readonly fetch: Fetch
  readonly now: () => number
}

type ResolveKey = JWTVerifyGetKey

/** Keys older than this are fetched again before use. */
const MAX_AGE_MS = 10 * 60_000
/** Minimum time between fetches for unknown key ids, because the sender of a token chooses the key id. */
const COOLDOWN_MS = 10_000
/** After a failed fetch, requests fail at once for this long. */
const BREAKER_MS = 5_000

/** An issuer's key set, fetched on demand, with at most one fetch in flight. */
export class KeySource {
  readonly #options: KeySourceOptions
  #jwksUri: string | undefined
  #resolve: ResolveKey | undefined
  #fetchedAt = 0
  #failedAt: number | undefined
  #fetching: Promise<ResolveKey> | undefined

  constructor(options: KeySourceOptions) {
    this.#options = options
    this.#jwksUri = options.jwksUri
  }

  /** Finds the key for a token header; passed to `jwtVerify`. */
  readonly getKey: ResolveKey = async (header, token) => {
    const { errors } = await import('jose')
    const resolve = await this.#current()
    try {
      return await resolve(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || this.#age() < COOLDOWN_MS) throw error
    }
    // The issuer may have rotated its keys. If the fetch fails, the token counts as undecided, not as invalid.
    const renewed = await this.#fetch()
    return await renewed(header, token)
  }

  async #current(): Promise<ResolveKey> {
    if (this.#resolve !== undefined && this.#age() < MAX_AGE_MS) return this.#resolve
    return await this.#fetch()
  }

  #age(): number {
    return toElapsed(this.#fetchedAt, this.#options.now())
  }

  #fetch(): Promise<ResolveKey> {
    this.#fetching ??= this.#load().finally(() => {
      this.#fetching = undefined
    })
    return this.#fetching
  }

  async #load(): Promise<ResolveKey> {
    const { now } = this.#options
    if (this.#failedAt !== undefined && toElapsed(this.#failedAt, now()) < BREAKER_MS)
      throw new IssuerUnavailableError('the issuer could not be reached a moment ago')
    try {
      this.#resolve = await this.#fetchKeys()
      this.#fetchedAt = now()
      this.#failedAt = undefined
      return this.#resolve
    } catch (error) {
      this.#failedAt = now()
      throw error
    }
  }

  async #fetchKeys(): Promise<ResolveKey> {
    const { issuer, fetch } = this.#options
    const { createLocalJWKSet } = await import('jose')
    this.#jwksUri ??= await discoverJwksUri(issuer, fetch)
    const document = await fetchJson(this.#jwksUri, fetch)
    try {
      return createLocalJWKSet(document as Parameters<typeof createLocalJWKSet>[0])
    } catch (error) {
      throw new IssuerUnavailableError('the issuer sent no key set', { cause: error })
    }
  }
}
