import { toCanonicalText } from '../../internal/canonical-text.ts'
import { invalidParams } from '../../protocol/error.ts'
import { isJsonObject } from '../../protocol/json-rpc.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import type { CallContext } from '../call-context.ts'

/** The state of a request between two rounds. */
export interface RoundMemory {
  /** Responses of earlier rounds. */
  readonly responses: JsonObject
  /** Values of `once`. */
  readonly values: JsonObject
}

/** Options for signing request states. */
export interface RequestStateOptions {
  /** Secret of at least 32 bytes; the same for all processes that serve the same clients. */
  readonly key?: Uint8Array
  /** Milliseconds until a state expires; 10 minutes by default. */
  readonly ttlMs?: number
}

/** The part of a call that a state is bound to. */
export type StateCall = Pick<CallContext, 'method' | 'principal'> & { readonly params: JsonObject }

const DEFAULT_TTL_MS = 10 * 60 * 1000
const KEY_BYTES = 32
const MAC = { name: 'HMAC', hash: 'SHA-256' } as const
const ROUND_PARAMS: ReadonlySet<string> = new Set(['_meta', 'inputResponses', 'requestState'])

/**
 * Signs the state that must survive until the client sends its request again. The client carries it, so the signature
 * covers the expiry, the principal, the method and the parameters: a state is invalid for another caller or request.
 * It is not encrypted; handlers must not put secrets into it.
 *
 * A state may be replayed until it expires: a client that lost the response to a round needs it again, and detecting a
 * replay would require storing every used state. A replay permits nothing that the caller could not do by sending the
 * request anew; an effect that must happen once needs an idempotency key in the arguments.
 */
export class RequestStates {
  readonly #ttlMs: number
  readonly #secret: Uint8Array | undefined
  #key: Promise<CryptoKeyHandle> | undefined

  constructor({ key, ttlMs }: RequestStateOptions = {}) {
    if (key !== undefined && key.length < KEY_BYTES) {
      throw new RangeError(`a request state key needs at least ${KEY_BYTES} bytes`)
    }
    this.#secret = key
    this.#ttlMs = ttlMs ?? DEFAULT_TTL_MS
  }

  async seal(memory: RoundMemory, call: StateCall): Promise<string> {
    const body = JSON.stringify({ ...memory, expires: Date.now() + this.#ttlMs })
    const bytes = new TextEncoder().encode(body)
    const mac = await crypto.subtle.sign(MAC, await this.#importKey(), toSigned(bytes, call))
    return `${toBase64(bytes)}.${toBase64(new Uint8Array(mac))}`
  }

  async open(state: unknown, call: StateCall): Promise<RoundMemory> {
    const parts = typeof state === 'string' ? state.split('.').map(fromBase64) : []
    const [body, mac] = parts
    if (body === undefined || mac === undefined || parts.length > 2) throw refused()
    const key = await this.#importKey()
    if (!(await crypto.subtle.verify(MAC, key, mac, toSigned(body, call)))) throw refused()
    const memory: unknown = JSON.parse(new TextDecoder().decode(body))
    if (!isJsonObject(memory) || !(Number(memory['expires']) > Date.now())) throw refused()
    const { responses, values } = memory
    if (!isJsonObject(responses) || !isJsonObject(values)) throw refused()
    return { responses, values }
  }

  #importKey(): Promise<CryptoKeyHandle> {
    if (this.#key !== undefined) return this.#key
    // Created with the first state: most servers never need to load Node's crypto.
    const secret = this.#secret ?? crypto.getRandomValues(new Uint8Array(KEY_BYTES))
    this.#key = crypto.subtle.importKey('raw', secret, MAC, false, ['sign', 'verify'])
    return this.#key
  }
}

type CryptoKeyHandle = Awaited<ReturnType<typeof crypto.subtle.importKey>>

function toSigned(body: Uint8Array, { method, principal, params }: StateCall): Uint8Array {
  const request = Object.entries(params).filter(([name]) => !ROUND_PARAMS.has(name))
  const binding = toCanonicalText([method, principal?.id ?? null, Object.fromEntries(request)])
  const prefix = new TextEncoder().encode(`${binding}\n`)
  const signed = new Uint8Array(prefix.length + body.length)
  signed.set(prefix)
  signed.set(body, prefix.length)
  return signed
}

// One message for every reason, so that tampering reveals nothing.
function refused(): Error {
  return invalidParams('requestState is not valid for this request or has expired')
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Decodes canonical base64url only; `atob` itself ignores white space, padding and unused bits. */
function fromBase64(text: string): Uint8Array | undefined {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    return toBase64(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}
