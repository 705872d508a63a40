import type { Attributes } from '@opentelemetry/api'
import type { Call } from '../server/call/call.ts'
import type { Instruments } from './instruments.ts'

// The global that an SDK registers itself in through `@opentelemetry/api` 1.x.
const REGISTRY = Symbol.for('opentelemetry.js.api.1')

/**
 * Spans and metrics, if the process has an OpenTelemetry SDK. The API is not loaded before an SDK is
 * registered, so without telemetry a call costs one property lookup.
 */
export class Telemetry {
  #instruments: Instruments | undefined

  /** Whether an SDK is registered. */
  get isActive(): boolean {
    return REGISTRY in globalThis
  }

  /** Runs a request in its own span and records its duration. */
  async observe(call: Call, run: () => Promise<object>): Promise<object> {
    const instruments = this.#instruments ?? (await this.#load())
    return await instruments.observe(call, run)
  }

  /** Records a session event, such as `mcp.session.created`. */
  async sessionEvent(name: string, attributes: Attributes): Promise<void> {
    if (!this.isActive) return
    const instruments = this.#instruments ?? (await this.#load())
    instruments.sessionEvent(name, attributes)
  }

  /** Records the lifetime of a session. */
  async sessionEnded(milliseconds: number, attributes: Attributes): Promise<void> {
    if (!this.isActive) return
    const instruments = this.#instruments ?? (await this.#load())
    instruments.sessionEnded(milliseconds, attributes)
  }

  async #load(): Promise<Instruments> {
    // Both by `import()`: a bundler would hoist a static import to the start of the program.
    const [otel, { Instruments }] = await Promise.all([
      import('@opentelemetry/api'),
      import('./instruments.ts'),
    ])
    this.#instruments = new Instruments(otel)
    return this.#instruments
  }
}
